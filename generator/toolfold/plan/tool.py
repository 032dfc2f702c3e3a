"""One tool: its schemas checked, its models named, its entry in the catalog written."""

from jsonschema_rs import ValidationError, Validator
from toolfold_runtime.contract.codec import encode
from toolfold_runtime.contract.definition import Definition
from toolfold_runtime.contract.tool import ToolEntry
from toolfold_runtime.validation import validator_for

from toolfold.manifest.schema import Manifest, Tool
from toolfold.plan.disclosure.budgets import listed_tokens
from toolfold.plan.disclosure.execution import limits_of
from toolfold.plan.disclosure.meta_tools import runner_of
from toolfold.plan.disclosure.signature import signature
from toolfold.plan.disclosure.tokens import count
from toolfold.plan.disclosure.tool_views import tool_views
from toolfold.plan.model import Json, ToolPlan, ToolTexts
from toolfold.plan.names import python as naming
from toolfold.plan.names.check import method_of
from toolfold.plan.problems import Problems, Report
from toolfold.plan.schemas.check import check_examples, check_origin
from toolfold.plan.schemas.keywords import walk
from toolfold.plan.schemas.modelled import Modelled, encoded_alike, modelled
from toolfold.plan.schemas.served import Origin, input_origin, output_origin, served_output
from toolfold.plan.search.results import hit_forms, hit_tokens
from toolfold.plan.search.words import search_words
from toolfold.plan.text.escape import docstring, json_text


def plan_tool(
    name: str, manifest: Manifest, problems: Problems, key: str = ""
) -> tuple[ToolPlan, ToolTexts] | None:
    """Everything decided about one tool by itself, or None where its schemas are refused."""
    tool = manifest.tools[name]
    given = input_origin(name, tool, manifest.defs)
    returned = output_origin(name, tool, manifest.defs)
    before = problems.errors
    _check(name, manifest, given, returned, problems)
    if problems.errors > before:
        return None
    stem = naming.class_name(name)
    schema = returned.schema if returned else None
    entry = _entry(name, manifest, given.schema, schema)
    hits = hit_forms(name, tool, given.schema, schema)
    cut = search_words(name, manifest)
    result = f"{stem}Result" if returned else None
    plan = ToolPlan(
        key=key,
        name=name,
        id=manifest.id_of(name),
        category=tool.category,
        effect=tool.effect,
        tier=tool.tier,
        summary=tool.summary,
        example=tool.example,
        tags=tool.tags,
        aliases=tool.aliases,
        related=tool.related,
        generates=tool.generates,
        consumes=tool.consumes,
        has_budget=tool.budget is not None,
        module=naming.module_name(name),
        method=method_of(name, tool),
        params_class=f"{stem}Params",
        result_class=result,
        result_annotation=f"MaybeAwaitable[{result or 'Anything'}]",
        docstring=docstring(tool.summary),
        signature=entry.signature,
        tokens={
            "hit": count(hits[0]),
            "summary": count(entry.views.summary),
            "schema": count(entry.views.schema),
            "full": count(entry.views.full),
            "listed": listed_tokens(entry.definition),
        },
        hits=hits,
        hit_tokens=hit_tokens(hits),
        lengths={field: len(found) for field, found in cut.items() if found},
        name_words=list(dict.fromkeys(cut["name"])),
    )
    return plan, ToolTexts(json_text(encode(entry)), cut)


def models_of(name: str, manifest: Manifest) -> Modelled:
    """The classes of one tool."""
    tool = manifest.tools[name]
    returned = output_origin(name, tool, manifest.defs)
    given = input_origin(name, tool, manifest.defs).schema
    return modelled(given, returned.schema if returned else None, naming.class_name(name))


def _check(
    name: str, manifest: Manifest, given: Origin, returned: Origin | None, problems: Problems
) -> None:
    tool = manifest.tools[name]
    if tool.returns is not None and "$defs" in tool.returns:
        path = ("tools", name, "returns", "$defs")
        hint = "declare it under the manifest's own `$defs:`"
        problems.error_at_key(path, "definitions inside a schema", hint, "keyword")
    for origin in (given, returned):
        if origin is not None:
            report = problems.reporter(is_foreign=origin.is_foreign)
            check_origin(origin, manifest.defs, report)
            _check_properties(origin, report)
            _check_carried(origin, problems)
    _check_root(name, tool, problems)
    report = problems.reporter(is_foreign=given.is_foreign)
    check_examples(name, tool, _validator(given.schema), report)


def _check_root(name: str, tool: Tool, problems: Problems) -> None:
    if tool.input_schema is None:
        return
    path = ("tools", name, "input_schema")
    if "type" not in tool.input_schema:
        hint = 'served with `"type": "object"`'
        problems.reporter(is_foreign=True)(path, "no root type", hint, "root-type")
    elif tool.input_schema["type"] != "object":
        hint = "arguments are always an object"
        problems.error((*path, "type"), "the root type is not object", hint, "root-type")


def _check_carried(origin: Origin, problems: Problems) -> None:
    """What the protocol's own types refuse: one such schema would take the whole list down."""
    schema = origin.schema
    properties, required = schema.get("properties", {}), schema.get("required", [])
    hint = "clients could read no tool at all beside this one"
    if not isinstance(properties, dict) or not all(
        isinstance(inner, dict | bool) for inner in properties.values()
    ):
        path = origin.manifest_path(("properties",))
        problems.error(path, "properties are not a mapping of schemas", hint, "protocol")
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        path = origin.manifest_path(("required",))
        problems.error(path, "required is not a list of names", hint, "protocol")
    if not isinstance(schema.get("$schema", ""), str):
        path = origin.manifest_path(("$schema",))
        problems.error(path, "$schema is not text", hint, "protocol")


def _check_properties(origin: Origin, report: Report) -> None:
    for path, schema in walk(origin.schema):
        if isinstance(schema, dict) and isinstance(schema.get("properties"), dict):
            for first, second in encoded_alike(schema):
                where = origin.manifest_path((*path, "properties", second))
                fact = f'properties "{first}" and "{second}" would share a Python name'
                hint = (
                    "both are served, and left to the open part of the model"
                    if origin.is_foreign
                    else "rename one of them"
                )
                report(where, fact, hint, "property-names", of_key=True)


def _validator(schema: Json) -> Validator | None:
    try:
        return validator_for(schema)
    except (ValidationError, ValueError):
        return None


def _entry(name: str, manifest: Manifest, given: Json, result: Json | None) -> ToolEntry:
    """What the runtime reads when the tool is asked about or called."""
    tool = manifest.tools[name]
    output, wraps_result = served_output(result) if result is not None else (None, False)
    runner = runner_of(manifest, tool.effect)
    return ToolEntry(
        name=name,
        category=tool.category,
        effect=tool.effect,
        module=naming.module_name(name),
        params=f"{naming.class_name(name)}Params",
        method=method_of(name, tool),
        signature=signature(name, given, result),
        definition=_definition(name, manifest, given, output),
        views=tool_views(name, tool, given, result, manifest.disclosure.format, runner),
        wraps_result=wraps_result,
        limits=limits_of(tool),
        example=tool.examples[0].arguments if tool.examples else None,
    )


def _definition(name: str, manifest: Manifest, given: Json, output: Json | None) -> Definition:
    """The tool as `tools/list` shows it."""
    tool = manifest.tools[name]
    icons = (icon.model_dump(by_alias=True, exclude_unset=True) for icon in tool.icons)
    return Definition(
        name=name,
        title=tool.title or tool.summary,
        description=tool.description or tool.summary,
        input_schema=given,
        output_schema=output,
        icons=tuple(icons),
        annotations={**tool.annotations, **_hints(tool)},
        meta={**tool.meta, "toolfold/id": manifest.id_of(name)},
    )


def _hints(tool: Tool) -> dict[str, bool]:
    """What the effect says; of an effect that was only proposed, nothing is claimed."""
    if "effect" in tool.proposed:
        return {}
    return {
        "readOnlyHint": tool.effect == "read",
        "destructiveHint": tool.effect == "destructive",
    }
