"""Other models in place of an agent's own, for the runs within a context."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from answergraph.calling.bound_model import model_replacement


@contextmanager
def replaced_models(by: Callable[[Any], Any]) -> Iterator[None]:
    """Within this context, agents ask the model that ``by`` returns for their own.

    The agent binds its tools and its format to its own model; ``by`` is given the model that is about to be called, without them,
    and returns one that takes the same arguments, such as a copy with another client.

    Example:
        >>> from answergraph import create_agent
        >>> from answergraph.testing import ScriptedChatModel
        >>> agent = create_agent(ScriptedChatModel(replies=["One."]))
        >>> with replaced_models(lambda model: ScriptedChatModel(replies=["Another."])):
        ...     agent.invoke({"messages": ["Who?"]})["messages"][-1].text
        'Another.'
    """
    token = model_replacement.set(by)
    try:
        yield
    finally:
        model_replacement.reset(token)
