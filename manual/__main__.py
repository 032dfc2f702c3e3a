"""`python -m manual` writes the reference into docs/reference; 1 where something is undocumented."""

import sys

from manual.pages import FOLDER, reference, undocumented


def main() -> int:
    """Write every page, remove those that are no longer made, and name what is undocumented."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    pages = reference()
    for name, text in pages.items():
        (FOLDER / name).write_text(text, encoding="utf-8", newline="\n")
    for path in FOLDER.glob("*.md"):
        if path.name not in pages:
            path.unlink()
    missing = undocumented()
    print("\n".join([f"docs/reference: {len(pages)} pages", *missing]))
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
