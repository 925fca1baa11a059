"""A person reviews the fields of an answer that stay doubtful."""
