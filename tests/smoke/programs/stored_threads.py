"""A thread in a SQLite file: it waits for a result from elsewhere, and the next process goes on with it."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from langchain_core.messages import AIMessage, ToolMessage
from langgraph.checkpoint.sqlite import SqliteSaver

from answergraph import create_agent, external_tool
from answergraph.testing import ScriptedChatModel

COLOUR: dict[str, Any] = {
    "title": "Colour",
    "type": "object",
    "properties": {"name": {"enum": ["red", "blue"]}},
    "required": ["name"],
}


def invoked(file: Path, messages: list[Any], reply: AIMessage) -> dict[str, Any]:
    """Invoke the agent on the thread of a file, as a process of its own would."""
    with SqliteSaver.from_conn_string(str(file)) as saver:
        pick = external_tool("pick", "Let the user pick a colour.", {"type": "object", "properties": {}})
        agent = create_agent(ScriptedChatModel(replies=[reply]), [pick], response_format=COLOUR, checkpointer=saver)
        result: dict[str, Any] = agent.invoke({"messages": messages}, {"configurable": {"thread_id": "1"}})
        return result


def main() -> None:
    """Stop, and go on."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "threads.sqlite")
        call = AIMessage("", tool_calls=[{"name": "pick", "args": {}, "id": "1"}])
        assert invoked(file, ["Which?"], call)["outcome"]["status"] == "deferred"
        answer = AIMessage("", tool_calls=[{"name": "Colour", "args": {"name": "blue"}, "id": "2"}])
        assert invoked(file, [ToolMessage("blue", tool_call_id="1")], answer)["structured_response"] == {"name": "blue"}


if __name__ == "__main__":
    main()
