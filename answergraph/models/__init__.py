"""Chat models: found by name, wrapped, or offline."""
