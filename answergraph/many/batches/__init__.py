"""Batches: the requests of a map through a provider's batch endpoint."""
