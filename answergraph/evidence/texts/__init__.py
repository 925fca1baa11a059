"""What a text says: folded, and read with or without what is no part of it."""
