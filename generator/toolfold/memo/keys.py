"""What stands for content: whatever is kept from run to run is kept under such a key."""

import hashlib
import json
from typing import Any


def content_key(*parts: Any) -> str:
    """A key that changes whenever any of `parts` does."""
    text = json.dumps(parts, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()
