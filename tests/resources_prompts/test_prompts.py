"""Prompts: workflows that lead an agent through their steps, texts, and answers of tools."""

from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client

from tests.callers.material import User, token_of
from tests.resources_prompts.conftest import implementation_of
from tests.resources_prompts.material import ask, prompt, refusal
from tests.support.clients import ERAS, MODERN, Era, over_http
from tests.support.projects import Project, project, small_manifest
from tests.support.servers import Listening, Stdio


def listed(server: Any, era: Era = MODERN) -> dict[str, types.Prompt]:
    answer = ask(server, lambda client: client.list_prompts(), era)
    return {one.name: one for one in answer.prompts}


def refused(server: Any, which: str, /, era: Era = MODERN, **arguments: str) -> Any:
    return refusal(server, lambda client: client.get_prompt(which, arguments), era)


@pytest.mark.parametrize("era", ERAS)
def test_prompts_are_listed_with_their_arguments(server: Any, era: Era) -> None:
    prompts = listed(server, era)
    review, workflow = prompts["review"], prompts["cancel_it"]

    assert [*prompts] == ["review", "listing", "greeting", "asking", "fails", "mine", "cancel_it"]
    assert (review.title, review.description) == ("Code review", "Review code")
    assert [one.model_dump(exclude_none=True) for one in review.arguments or ()] == [
        {"name": "code", "description": "What to review", "required": True},
        {"name": "style", "required": False},
    ]
    assert workflow.title == "Cancel it!"
    assert [(one.name, one.required) for one in workflow.arguments or ()] == [
        ("state", False),
        ("limit", False),
        ("all", False),
        ("reason", False),
    ]
    assert [one.name for one in prompts["listing"].arguments or ()] == ["state", "limit", "all"]


# Workflows


def test_a_workflow_says_how_each_step_is_called_in_the_exposure_served(shop: Project) -> None:
    implementation = implementation_of(shop)
    calls = {}
    for exposure in ("direct", "hybrid", "progressive"):
        (words,) = prompt(shop.server(exposure, implementation), "cancel_it", state="open")
        calls[exposure] = [line for line in words.split("\n") if line.startswith(("Call", "Run"))]

    by_name = "Call it by its own name."
    by_runner = [
        f"Run it with {runner}: its name as tool, and its arguments."
        for runner in ("run_read", "run_write")
    ]
    assert calls == {
        "direct": [by_name, by_name],
        "hybrid": by_runner,
        "progressive": by_runner,
    }


def test_a_workflow_says_so_where_runners_take_arguments_as_text(tmp_path: Path) -> None:
    manifest = small_manifest("one") | {
        "disclosure": {"arguments": "json"},
        "workflows": [{"name": "W", "steps": ["one"]}],
    }
    (words,) = prompt(project(tmp_path, manifest).server("progressive"), "w")

    assert "Run it with run_read: its name as tool, and its arguments as a JSON string." in words


@pytest.mark.parametrize("era", ERAS)
def test_a_workflow_leads_through_its_steps_with_what_was_given(server: Any, era: Era) -> None:
    (words,) = prompt(server, "cancel_it", era, reason="{late} {{}} %s\n$1")

    assert words == (
        "Cancel it!\n\n"
        "Work through these steps in order, with the tools of this server."
        " Where one fails, stop and say why.\n\n"
        "Step 1: list_orders, One\n"
        'Signature: list_orders(state?: "open"|"sent", limit?: int, all?: bool)\n'
        "Call it by its own name.\n"
        "Keep what it gives: order_id for step 2.\n\n"
        "Step 2: cancel_order, One\n"
        "Signature: cancel_order(order_id: str, reason: str)\n"
        "It can destroy data: say what it will do, and go on when the user agrees.\n"
        "Call it by its own name.\n"
        "Take order_id from step 1.\n"
        "Argument reason: {late} {{}} %s\n$1"
    )


# Texts


@pytest.mark.parametrize("era", ERAS)
def test_arguments_are_put_in_as_they_are(server: Any, era: Era) -> None:
    hostile = "{style} {{code}} {0} %(code)s </b>\n\u202e"

    assert prompt(server, "review", era, code=hostile) == [f"Review {hostile} as {{x}}. {hostile}"]
    assert prompt(server, "review", era, code="a", style="b") == ["Review a as {x}.b a"]


@pytest.mark.parametrize("given", [{}, {"style": "short"}, {"code": ""}])
def test_a_missing_argument_is_named(server: Any, given: dict[str, str]) -> None:
    error = refusal(server, lambda client: client.get_prompt("review", given))

    assert (error.code, error.message) == (-32602, "review needs code (What to review).")
    assert error.data == {"prompt": "review"}


def test_an_unknown_argument_is_ignored_with_a_warning(server: Any) -> None:
    async def described(client: Client) -> str | None:
        return (await client.get_prompt("review", {"code": "a", "stile": "b"})).description

    assert ask(server, described) == (
        'Review code (warning: ignored unknown arguments: stile (did you mean "style"?))'
    )


@pytest.mark.parametrize("era", ERAS)
def test_an_unknown_prompt_is_answered_with_the_nearest_names(server: Any, era: Era) -> None:
    error = refused(server, "reveiw", era)

    assert error.code == -32602
    assert error.message.startswith('no prompt "reveiw". Nearest: review, ')


def test_a_text_that_would_grow_too_large_is_refused(server: Any) -> None:
    error = refused(server, "review", code="ä" * 5_000_000)

    assert error.code == -32602
    assert error.message.startswith("review has more than 16,000,000 bytes")


def test_half_of_a_character_is_refused(shop: Project) -> None:
    with Stdio.of(shop) as running:
        params = {"name": "review", "arguments": {"code": "\ud800"}}
        running.send({"id": 1, "method": "prompts/get", "params": params})
        (answer,) = running.wait(1)

    assert answer["error"]["code"] in (-32700, -32600, -32602)


# Answers of tools


@pytest.mark.parametrize("era", ERAS)
def test_what_a_tool_answers_is_a_message(server: Any, era: Era) -> None:
    assert prompt(server, "greeting", era, name="Ada") == ['Hello, "Ada"']
    assert prompt(server, "listing", era, limit="5", all="", state="open") == [
        '{"state":"open","limit":5,"all":null}'
    ]


def test_errors_of_a_tool_are_errors_of_the_protocol(server: Any) -> None:
    failed = refused(server, "fails")
    invalid = refused(server, "listing", limit="many")

    assert (failed.code, failed.data) == (-32603, {"prompt": "fails", "code": "backend_failed"})
    assert "secret" not in failed.message
    assert invalid.code == -32602
    assert "limit: expected integer" in invalid.message


def test_a_tools_scopes_hold_for_its_prompt(guarded: Listening) -> None:
    def ask_as(subject: str) -> list[str]:
        return prompt(over_http(guarded.url, token_of(subject, "orders:read")), "mine")

    assert [ask_as("ada"), ask_as("eve")] == [["orders of ada"], ["orders of eve"]]
    error = refused(over_http(guarded.url, token_of("ada")), "mine")
    assert error.data["code"] == "forbidden"


@pytest.mark.parametrize("era", ERAS)
def test_the_user_is_asked_where_the_tool_wants_it(server: Any, era: Era) -> None:
    user = User()

    async def get(client: Client) -> Any:
        return await client.get_prompt("asking", {"id": "A-1"})

    answer = ask(server, get, era, elicitation_callback=user)

    assert answer.messages[0].content.text == "asked for A-1"
    assert len(user.questions) == 1
