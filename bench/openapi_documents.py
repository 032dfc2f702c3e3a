"""Figures of importing OpenAPI documents, for bench/openapi.py: tokens, CPU and memory, beside FastMCP's `from_openapi`."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, NamedTuple

from toolfold.manifest.load import load
from toolfold.plan.disclosure.tokens import count
from toolfold_runtime import Catalog
from toolfold_runtime.jsontext import compact

from bench.measure import Cost, Figure, figure, python, run
from bench.served import ROOT
from bench.session import Session

DOCUMENTS = ROOT.parent / "shared" / "bench" / "openapi"
FASTMCP = str(ROOT / "bench" / "fastmcp_openapi.py")
_MOST_NODES = 200_000


class Limits(NamedTuple):
    """What our import may cost, as a share of FastMCP's."""

    file: str
    cpu: float
    memory: float


LIMITS = {
    "github": Limits("github-api.json", 1, 1),
    "stripe": Limits("stripe.yaml", 0.3, 0.3),
}


class Api:
    """A project that one document is imported into."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.document = DOCUMENTS / LIMITS[name].file
        self._folder = folder
        self.project = folder

    def imported(self) -> Cost:
        """Import the document into a new project."""
        self.project = Path(mkdtemp(prefix=f"{self.name}-", dir=self._folder))
        command = python("-m", "toolfold", "import", "openapi", str(self.document))
        return run([*command, "--name", self.name], self.project)

    def generated(self) -> Cost:
        """Generate the project that was imported last."""
        return run(python("-m", "toolfold", "generate", "-q", "--no-cache"), self.project)

    def fastmcp(self) -> Cost:
        """Have FastMCP make tools of the same document."""
        return run(python(FASTMCP, str(self.document)), self._folder)

    def session(self) -> Session:
        """A new process that serves the generated package."""
        package = next(self.project.glob("generated/*_mcp")).name
        environment = {"PYTHONPATH": str(self.project / "generated")}
        return Session(python("-m", f"{package}.server"), self.project, environment)

    def fastmcp_session(self) -> Session:
        """A new process in which FastMCP serves the document."""
        return Session(python(FASTMCP, str(self.document), "serve"), self._folder, {})


def token_figures(folder: Path) -> Iterator[Figure]:
    """What GitHub's 1,223 operations cost an agent to start with, and by their schemas."""
    api = Api("github", folder)
    api.imported()
    api.generated()
    report = json.loads(
        run(python("-m", "toolfold", "budget", "--format", "json"), api.project).output
    )
    views: dict[str, int] = {view["name"]: view["tokens"] for view in report["costs"]}
    first = next(tokens for name, tokens in views.items() if name.startswith("capabilities()"))
    yield figure("openapi: GitHub, tokens to start", [views["surface"] + first], 1200)
    manifest = load(api.project / "tools.yaml").manifest
    package = next(api.project.glob("generated/*_mcp"))
    catalog = Catalog(package / "catalog", package.name)
    shown = total = 0
    for name, tool in manifest.tools.items():
        shown += count(catalog.details(name))
        for schema in (tool.input_schema, tool.answer_schema):
            total += count(compact(_inlined(schema or {}, manifest.defs)))
    print(f"  tool_schema of {len(manifest.tools):,} operations: {shown:,} of {total:,} tokens")
    name = "openapi: GitHub, tool_schema / inputs and returns inlined, tokens"
    yield figure(name, [shown / total], 0.25)


def import_figures(folder: Path, pairs: int) -> Iterator[Figure]:
    """An import of GitHub's and Stripe's documents, and the start after it, beside FastMCP's."""
    for name, limits in LIMITS.items():
        api = Api(name, folder)
        rows = [(api.imported(), api.fastmcp()) for _ in range(pairs)]
        generated = api.generated()
        starts = [(_start(api.session), _start(api.fastmcp_session)) for _ in range(pairs)]
        ours, theirs = rows[-1]
        print(
            f"  {name}: import {ours.cpu:.1f} s {ours.peak_mb:.0f} MB,"
            f" FastMCP {theirs.cpu:.1f} s {theirs.peak_mb:.0f} MB;"
            f" generate {generated.cpu:.1f} s {generated.peak_mb:.0f} MB"
        )
        cpu = [ours.cpu / theirs.cpu for ours, theirs in rows]
        yield figure(f"openapi: {name}, import / FastMCP, CPU", cpu, limits.cpu)
        memory = [ours.peak_mb / theirs.peak_mb for ours, theirs in rows]
        yield figure(f"openapi: {name}, import / FastMCP, peak memory", memory, limits.memory)
        start = [ours / theirs for ours, theirs in starts]
        yield figure(f"openapi: {name}, start to first list / FastMCP, CPU", start, 0.2)


def _start(session: Any) -> float:
    """CPU seconds of a server from its start to its first list."""
    with session() as client:
        client.request("tools/list", {})
        return float(client.cpu())


def _inlined(schema: Any, definitions: Mapping[str, Any]) -> Any:
    """A schema with its references followed, until they go in circles or it is very large."""
    nodes = 0

    def of(value: Any, stack: tuple[str, ...]) -> Any:
        nonlocal nodes
        nodes += 1
        if nodes > _MOST_NODES:
            return {}
        if isinstance(value, list):
            return [of(inner, stack) for inner in value]
        if not isinstance(value, dict):
            return value
        name = str(value.get("$ref", "")).removeprefix("#/$defs/")
        if name in definitions:
            return {} if name in stack else of(definitions[name], (*stack, name))
        return {key: of(inner, stack) for key, inner in value.items()}

    return of(schema, ())
