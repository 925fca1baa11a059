"""Evidence: which claims an answer makes, and whether a tool result of the run supports each."""
