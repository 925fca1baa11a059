"""More programs written for LangChain, as in ``langchain_programs``: each is handed ``create_agent`` alone."""
