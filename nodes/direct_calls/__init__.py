"""Tools called in place, without the path through LangChain that plain tools do not need."""
