"""Evidence: the claims of an answer, and the tool results that support them."""
