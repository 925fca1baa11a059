"""Direct calls of plain tools, without LangChain's overhead."""
