"""The static types change nothing at run time, and cover every argument."""

import inspect

from langgraph.graph.state import CompiledStateGraph

from answergraph import AgentGraph, AgentResult, create_agent
from answergraph.graphs.agent.signature import AgentArguments
from tests.suite.verdicts import Verdict


def test_every_argument_of_create_agent_is_typed() -> None:
    of_the_type = {"model", "tools", "response_format", "output_key"}
    assert set(inspect.signature(create_agent).parameters) == of_the_type | AgentArguments.__annotations__.keys()


def test_create_agent_is_a_function_with_its_documentation() -> None:
    assert inspect.isfunction(create_agent)
    assert "response_format:" in str(create_agent.__doc__)


def test_an_agent_is_langgraphs_graph_and_its_result_a_dict() -> None:
    def ask(agent: AgentGraph[Verdict | None]) -> AgentResult[Verdict | None]:
        return agent.invoke({"messages": ["Hello"]})

    agent = create_agent("offline")
    assert isinstance(agent, AgentGraph)
    assert isinstance(agent, CompiledStateGraph)
    assert type(ask(agent)) is dict
