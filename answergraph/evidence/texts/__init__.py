"""Text folding and views."""
