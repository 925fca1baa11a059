"""Changes of an answer by the names of its fields: everything else stays as it was."""
