"""Many documents: one process that serves, one or several that map, and one that kills them."""
