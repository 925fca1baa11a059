"""Programs as users write them; the type checkers find nothing in them, and each runs."""
