"""Answer types: names, JSON Schemas and validation."""
