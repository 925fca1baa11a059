"""Several agents of one schema, compared field by field."""
