"""The extractor: a document in, a record out, every field with its place."""
