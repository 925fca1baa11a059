"""Chat models that run in this process."""
