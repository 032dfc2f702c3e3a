"""Other people's tools to a manifest: read, named, grouped, written as YAML."""
