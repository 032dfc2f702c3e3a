"""The other side of `generate.py`: one call of the model generator and one ruff pass.

`--prepare` writes the class schemas of a manifest once, so that only the bare work is measured.
"""

import json
import subprocess
import sys
from pathlib import Path


def main() -> None:
    """Model every class in one call, format the result, write nothing else."""
    manifest, folder = Path(sys.argv[1]), Path(sys.argv[2])
    given, made = folder / "classes.json", folder / "models.py"
    if "--prepare" in sys.argv:
        from toolfold.manifest.load import load
        from toolfold.plan.build import build_plan

        folder.mkdir(exist_ok=True)
        plan = build_plan(load(manifest), "..")
        classes = {n: s for tool in plan.tools for n, s in tool.models.classes.items()}
        given.write_text(json.dumps({"$defs": classes}), encoding="utf-8")
        return
    from toolfold.emit.modelling import call_generator

    classes = json.loads(given.read_text(encoding="utf-8"))["$defs"]
    made.write_text(call_generator(classes, {}), encoding="utf-8")
    from ruff import find_ruff_bin

    command = [find_ruff_bin(), "format", "--isolated", "--no-cache", "--quiet", str(made)]
    subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
