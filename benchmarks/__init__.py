"""Compares answergraph with its peers on the same work: the cost of an agent loop without the model."""
