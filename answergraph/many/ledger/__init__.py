"""The ledger of a map: what is stored of an agent's rows."""
