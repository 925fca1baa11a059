"""Rules: conditions on the state, or labels chosen by a judge."""
