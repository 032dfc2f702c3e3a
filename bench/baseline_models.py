"""The other side of `generate.py`: one call of the model generator and one ruff pass.

Its input is the tools' own schemas, put side by side in one document as a person would who has
nothing but the generator. Run as `baseline_models.py SCHEMAS.json MODELS.py`.
"""

import subprocess
import sys
import warnings
from pathlib import Path

from datamodel_code_generator import InputFileType, generate
from datamodel_code_generator.enums import DataModelType, NamingStrategy, TargetPydanticVersion
from datamodel_code_generator.parser import LiteralType
from ruff import find_ruff_bin


def main() -> None:
    """Model every schema in one call and format the result."""
    source_path, target = Path(sys.argv[1]), Path(sys.argv[2])
    warnings.simplefilter("ignore")
    source = generate(
        source_path.read_text(encoding="utf-8"),
        preset="standard-py311-20261027",
        input_file_type=InputFileType.JsonSchema,
        output_model_type=DataModelType.PydanticV2BaseModel,
        formatters=[],
        naming_strategy=NamingStrategy.FullPath,
        enum_field_as_literal=LiteralType.All,
        use_schema_description=True,
        use_missing_sentinel=True,
        target_pydantic_version=TargetPydanticVersion.V2_14,
        treat_dot_as_module=False,
        allow_remote_refs=False,
        strict_refs=True,
    )
    target.write_text(str(source), encoding="utf-8")
    command = [find_ruff_bin(), "format", "--isolated", "--no-cache", "--quiet", str(target)]
    subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
