"""Running nodes, and caches; independent of agents."""
