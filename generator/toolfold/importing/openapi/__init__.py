"""OpenAPI documents to files of a manifest: read, converted, named, compared with what was imported before."""
