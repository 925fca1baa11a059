"""The tools that most tests offer; their docstrings are what a model is shown."""

from langchain_core.tools import tool


@tool
def search(query: str) -> str:
    """Search the logs."""
    return f"found {query}"
