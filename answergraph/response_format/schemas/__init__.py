"""The types of answers: their names, their JSON Schemas, their validation."""
