"""answergraph beside its peers, on the same work: what an agent loop costs besides the model."""
