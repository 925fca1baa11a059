"""A file that the page shows without a LangGraph server."""
