"""A supervisor asks two agents, each with its own tools, and decides. Run it: ``python examples/supervisor.py``.

It uses scripted models, so it runs anywhere. Replace them with any chat model or its name.
"""

from typing import Any, Literal

from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from pydantic import BaseModel

from answergraph import as_tool, create_agent
from answergraph.testing import ScriptedChatModel


class Cause(BaseModel):
    """Why the test failed, as its log tells it."""

    line: str
    cause: Literal["code", "environment", "unknown"]


class Record(BaseModel):
    """How the test did before."""

    runs: int
    failures: int


class Verdict(BaseModel):
    """What to do about the failure."""

    action: Literal["fix", "rerun", "quarantine"]
    because: str


@tool
def read_log(test: str) -> str:
    """Return the log of a test's last run."""
    return f"{test}: connection to db-7 refused\n{test}: FAILED"


@tool
def past_runs(test: str) -> str:
    """Return the results of a test's last runs."""
    return f"{test}: passed passed failed passed passed"


def build(model: Any, log_model: Any, history_model: Any) -> Any:
    """Return the supervisor, with one agent that reads logs and one that knows earlier runs."""
    logs = create_agent(log_model, [read_log], response_format=Cause, name="log_reader")
    history = create_agent(history_model, [past_runs], response_format=Record, name="historian")
    experts = [
        as_tool(logs, description="Reads the log of a failed test and says what caused the failure."),
        as_tool(history, description="Looks up how a test did before."),
    ]
    return create_agent(model, experts, response_format=Verdict, name="supervisor")


def _calls(name: str, args: dict[str, Any], *more: tuple[str, dict[str, Any]]) -> AIMessage:
    made = [(name, args), *more]
    return AIMessage("", tool_calls=[{"name": n, "args": a, "id": f"{n}-{place}"} for place, (n, a) in enumerate(made)])


def scripted() -> Any:
    """Return the supervisor with scripted models."""
    asks = {"request": "Why did test_login fail?"}
    verdict = {"action": "rerun", "because": "The database was away, and the test passed four times out of five."}
    return build(
        ScriptedChatModel(replies=[_calls("log_reader", asks, ("historian", asks)), _calls("Verdict", verdict)]),
        ScriptedChatModel(
            replies=[
                _calls("read_log", {"test": "test_login"}),
                _calls("Cause", {"line": "connection to db-7 refused", "cause": "environment"}),
            ]
        ),
        ScriptedChatModel(replies=[_calls("past_runs", {"test": "test_login"}), _calls("Record", {"runs": 5, "failures": 1})]),
    )


def main() -> None:
    """Ask about one test, and print each step."""
    result = scripted().invoke({"messages": ["test_login failed. What now?"]})
    for message in result["messages"]:
        if message.type == "tool" and message.artifact:
            print(f"{message.name}: {message.text}")
    print(f"supervisor: {result['structured_response']!r}")
    for cause, usage in result["outcome"]["usage"]["by_cause"].items():
        print(f"model calls, {cause}: {usage['model_calls']}")


if __name__ == "__main__":
    main()
