"""What the fixture tools answer and ask; the suite's own words where it has some."""

import base64
import json
from typing import Any

from toolfold_runtime import Audio, File, Image, MixedContent, ask, log, progress

Json = dict[str, Any]

#: One red pixel.
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAAAElFTkSuQmCC"
)
#: One sample of silence.
WAV = base64.b64decode("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA==")
TEXT = {"type": "string"}
OPTIONS = ["option1", "option2", "option3"]
DEFAULTS = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "default": True},
}
TITLED = [
    {"const": "value1", "title": "First Option"},
    {"const": "value2", "title": "Second Option"},
    {"const": "value3", "title": "Third Option"},
]
CHOICES = {
    "untitledSingle": {"type": "string", "enum": OPTIONS},
    "titledSingle": {"type": "string", "oneOf": TITLED},
    "legacyEnum": {
        "type": "string",
        "enum": ["opt1", "opt2", "opt3"],
        "enumNames": ["Option One", "Option Two", "Option Three"],
    },
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": OPTIONS}},
    "titledMulti": {"type": "array", "items": {"anyOf": TITLED}},
}


class Fixtures:
    """Implementation of tools.yaml beside this file."""

    def test_simple_text(self, params: object) -> str:
        return "This is a simple text response for testing."

    def test_error_handling(self, params: object) -> str:
        raise RuntimeError("This tool intentionally returns an error for testing")

    def test_image_content(self, params: object) -> Image:
        return Image(PNG)

    def test_audio_content(self, params: object) -> Audio:
        return Audio(WAV)

    def test_embedded_resource(self, params: object) -> File:
        text = "This is an embedded resource content."
        return File(text, "test://embedded-resource", "text/plain")

    def test_multiple_content_types(self, params: object) -> MixedContent:
        data = json.dumps({"test": "data", "value": 123})
        file = File(data, "test://mixed-content-resource", "application/json")
        return ["Multiple content types test:", Image(PNG), file]

    def test_tool_with_progress(self, params: object) -> str:
        for done in (0, 50, 100):
            progress(done, 100)
        return "Progress was reported."

    def test_tool_with_logging(self, params: object) -> str:
        for message in ("execution started", "processing data", "execution completed"):
            log.info(f"Tool {message}")
        return "Three messages were logged."

    def test_logging_tool(self, params: object) -> str:
        log.info("This is for whoever asked for it")
        return "A message was logged."

    def json_schema_2020_12_tool(self, params: Any) -> Any:
        return params

    def test_header_parameter(self, params: Any) -> str:
        return str(params.region)

    async def test_elicitation(self, params: Any) -> str:
        properties = {
            "username": {"type": "string", "description": "User's response"},
            "email": {"type": "string", "description": "User's email address"},
        }
        return f"User response: {await _asked(params.message, properties)}"

    async def test_elicitation_sep1034_defaults(self, params: object) -> str:
        return f"Elicitation completed: {await _asked('All types', DEFAULTS, required=False)}"

    async def test_elicitation_sep1330_enums(self, params: object) -> str:
        return f"Elicitation completed: {await _asked('All choices', CHOICES, required=False)}"

    async def test_streaming_elicitation(self, params: object) -> str:
        return f"Hello, {await _asked('What is your name?', {'name': TEXT})}!"

    async def test_input_required_result_elicitation(self, params: object) -> str:
        return f"Hello, {await _asked('What is your name?', {'name': TEXT}, 'user_name')}!"

    async def test_input_required_result_request_state(self, params: object) -> str:
        await _asked("Please confirm", {"ok": {"type": "boolean"}})
        return "state-ok"

    test_input_required_result_tampered_state = test_input_required_result_request_state

    async def test_input_required_result_multi_round(self, params: object) -> str:
        name = await _asked("Step 1: What is your name?", {"name": TEXT}, "step1")
        color = await _asked("Step 2: What is your favorite color?", {"color": TEXT}, "step2")
        return f"{name} likes {color}."

    def static_text(self, params: object) -> str:
        return "This is the content of the static text resource."

    def static_image(self, params: object) -> Image:
        return Image(PNG)

    def template_data(self, params: Any) -> Json:
        return {"id": params.id, "templateTest": True, "data": f"Data for ID: {params.id}"}

    def prompt_with_file(self, params: Any) -> MixedContent:
        text = "Embedded resource content for testing."
        file = File(text, params.resourceUri, "text/plain")
        return [file, "Please process the embedded resource above."]

    def prompt_with_image(self, params: object) -> MixedContent:
        return [Image(PNG), "Please analyze the image above."]

    async def prompt_that_asks(self, params: object) -> str:
        message = "What context should the prompt use?"
        return f"Use this: {await _asked(message, {'context': TEXT}, 'user_context')}"


async def _asked(
    message: str, properties: Json, name: str = "answer", *, required: bool = True
) -> Any:
    """What the user said: the one value that was asked for, or all; None where they declined."""
    schema: Json = {"type": "object", "properties": properties}
    if required:
        schema["required"] = list(properties)
    answer = await ask(message, schema, name=name)
    if answer is None or len(properties) > 1:
        return answer
    return answer[next(iter(properties))]
