"""Chat models: found by name, and the one that needs no key."""
