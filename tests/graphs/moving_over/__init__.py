"""More programs written for LangChain, as in ``langchain_programs``: each gets only ``create_agent`` from outside."""
