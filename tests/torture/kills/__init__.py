"""Runs killed by SIGKILL wherever they store something, call the model or are inside a tool, ours and those of LangChain."""
