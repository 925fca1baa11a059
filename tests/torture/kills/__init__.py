"""Runs of answergraph and of LangChain, killed by SIGKILL at each store, at each model call and inside tools."""
