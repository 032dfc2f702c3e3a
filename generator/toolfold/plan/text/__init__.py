"""The injection boundary: how text from a manifest reaches code, Markdown, URLs and paths."""
