"""Who may import whom: the rules that `test_boundaries.py` holds the code to."""

from typing import Final

# Beside the standard library and the package itself.
MAY_IMPORT: Final = {
    "errors": set(),
    "disk": {"toolfold.errors"},
    "report": {"toolfold.errors", "toolfold.emit.output"},
    "testing": {
        "toolfold.errors",
        "toolfold.report",
        "toolfold.commands.generate",
        "toolfold.implementation.compare",
    },
    "compile": {
        "toolfold.errors",
        "toolfold.manifest",
        "toolfold.memo",
        "toolfold.plan",
        "toolfold.emit",
    },
    "memo": {"toolfold.emit.templates", "toolfold_runtime", "pydantic", "platformdirs"},
    "manifest": {
        "toolfold.disk",
        "toolfold.errors",
        "toolfold_runtime.contract",
        "toolfold_runtime.hidden",
        "pydantic",
        "pydantic_core",
        "yaml",
    },
    "plan": {
        "toolfold.errors",
        "toolfold.manifest",
        "toolfold_runtime.contract",
        "toolfold_runtime.hidden",
        "toolfold_runtime.pointers",
        "toolfold_runtime.search",  # the index is split into words as queries are
        "toolfold_runtime.validation",
        "jsonschema_rs",
        "splintr",
        "pydantic",  # whose own attributes no field may hide
        "pydantic_core",  # its JSON writer
        "numpy",
    },
    "plan/text": {
        "toolfold.manifest.hidden",
        "toolfold.manifest.include",
        "toolfold_runtime.hidden",
        "pydantic_core",
    },
    "plan/names": {
        "toolfold.manifest",
        "toolfold.plan.findings",
        "toolfold.plan.model",
        "toolfold.plan.text",
        "pydantic",
    },
    "plan/schemas": {
        "toolfold.errors",
        "toolfold.manifest",
        "toolfold.plan.findings",
        "toolfold.plan.names",
        "toolfold.plan.text",
        "toolfold_runtime.contract",
        "toolfold_runtime.pointers",
        "toolfold_runtime.validation",
        "jsonschema_rs",
        "pydantic_core",  # its JSON writer
    },
    "plan/models": {
        "toolfold.manifest.schema",
        "toolfold.plan.findings",
        "toolfold.plan.names",
        "toolfold.plan.schemas",
        "toolfold.plan.text",
        "toolfold_runtime.contract",
        "toolfold_runtime.pointers",
        "toolfold_runtime.validation",
    },
    "plan/disclosure": {
        "toolfold.manifest.schema",
        "toolfold.plan.findings",
        "toolfold.plan.model",
        "toolfold.plan.schemas",
        "toolfold.plan.text",
        "toolfold_runtime.contract",
        "toolfold_runtime.pointers",
        "splintr",
    },
    "plan/search": {
        "toolfold.manifest.schema",
        "toolfold.plan.findings",
        "toolfold.plan.model",
        "toolfold.plan.schemas",
        "toolfold.plan.source",
        "toolfold_runtime.contract",
        "toolfold_runtime.search",
        "numpy",
    },
    "plan/docs": {
        "toolfold.manifest.schema",
        "toolfold.plan.disclosure",
        "toolfold.plan.model",
        "toolfold.plan.schemas",
        "toolfold.plan.text",
        "toolfold_runtime.contract",
        "toolfold_runtime.pointers",
    },
    "emit": {
        "toolfold_runtime.contract",
        "toolfold.errors",
        "toolfold.plan",
        "jinja2",
        "datamodel_code_generator",
        "ruff",
        "filelock",
    },
    "implementation": {"toolfold.disk", "toolfold.errors", "toolfold.plan.model", "toolfold.emit"},
    "importing": {
        "toolfold.disk",
        "toolfold.errors",
        "toolfold.compile",
        "toolfold.manifest",
        "toolfold.plan",
        "toolfold_runtime.contract",
        "pydantic",
    },
    "commands": {
        "toolfold.__version__",
        "toolfold.disk",
        "toolfold.errors",
        "toolfold.compile",
        "toolfold.manifest",
        "toolfold.memo",
        "toolfold.plan",
        "toolfold.emit",
        "toolfold_runtime",  # `try` and `search` run what a server runs
        "anyio",
    },
    "develop": {
        "toolfold.errors",
        "toolfold.report",
        "toolfold.commands",
        "toolfold.compile",
        "toolfold.emit.output",
        "toolfold.plan.model",
        "toolfold_runtime.contract",
        "watchfiles",
    },
    "site": {
        "toolfold.disk",
        "toolfold.errors",
        "toolfold.commands",
        "toolfold.develop.processes",
        "toolfold.develop.watch",
        "toolfold.manifest",
        "toolfold.plan.docs",
        "toolfold.plan.disclosure.tokens",
        "toolfold.plan.text",
        "toolfold_runtime.catalog",
        "toolfold_runtime.contract",
        "toolfold_runtime.errors",
        "markdown",
        "pygments",
        "pyromark",
        "zensical",
    },
    "cli": {
        "toolfold.__doc__",
        "toolfold.__version__",
        "toolfold.errors",
        "toolfold.report",
        "toolfold.commands",
        "toolfold.develop",
        "toolfold.importing",
        "toolfold.implementation",
        "toolfold.site",
        "toolfold.manifest.editor_schema",
        "toolfold.emit.output",  # for the type of what was written
        "toolfold.plan.model",
        "toolfold.plan.disclosure.costs",
        "toolfold_runtime.contract",
        "toolfold_runtime.server_log",
        "toolfold_runtime.search",
        "toolfold_runtime.serving",
    },
}
# The only parts that know that results are stored.
KNOW_THE_STORE: Final = {"memo", "compile", "commands"}
# Of the runtime: beside the standard library and, for all but `contract`, what all may import.
RUNTIME_MAY_IMPORT: Final = {
    "contract": set(),
    "search": {"numpy", "Stemmer", "tokenizers"},
    "catalog": {"toolfold_runtime.search"},
    "running": {"toolfold_runtime.catalog", "pydantic", "pydantic_core", "opentelemetry"},
    "disclosure": {
        "toolfold_runtime.catalog",
        "toolfold_runtime.search",
        "toolfold_runtime.running",
        "pydantic_core",  # its JSON writer
    },
    "serving": {
        "toolfold_runtime.catalog",
        "toolfold_runtime.disclosure",
        "toolfold_runtime.running",
        "anyio",
        "mcp",
        "mcp_types",
        "pydantic",
        "pydantic_core",
        "uvicorn",
        "h11",
        "starlette",
    },
}
RUNTIME_MODULES: Final = (
    "bounded",
    "errors",
    "hidden",
    "jsontext",
    "log_lines",
    "server_log",
    "models",
    "pointers",
    "typing",
    "validation",
)
# Modules for authors, which nothing of the runtime imports.
AUTHOR_MODULES: Final = ("log",)
ALL_MAY_IMPORT: Final = {
    "toolfold_runtime.contract",
    *(f"toolfold_runtime.{module}" for module in RUNTIME_MODULES),
}
FILE_SYSTEM: Final = {"os", "io", "shutil", "tempfile", "glob", "subprocess", "sqlite3"}
GENERATED_MAY_IMPORT: Final = {"toolfold_runtime", "pydantic"}
# Where the runtime knows the SDK and what it serves with.
SDK: Final = {"mcp", "mcp_types", "uvicorn", "h11", "starlette", "httpx2"}
KNOW_THE_SDK: Final = {
    "protocol.py",
    "callers.py",
    "asking.py",
    "client_log.py",
    "origins.py",
    "http.py",
    "hosts.py",
    "connections.py",
    "stdio.py",
    "lines.py",
}
