"""A process that runs a workflow until somebody kills it: ``killed_run.py FOLDER``.

Each step writes a line when it begins and when it ends. The second one waits for a file, in the middle of its agent's graph.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from threading import Event
from typing import Any

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Checkpointer
from typing_extensions import TypedDict

from answergraph.graphs import WorkflowStep, create_workflow

THREAD: Any = {"configurable": {"thread_id": "1"}}


class Said(TypedDict, total=False):
    text: str


def workflow(folder: Path, checkpointer: Checkpointer) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return three steps; the second has two nodes, of which the second waits for the file ``go``."""

    def node(name: str, *, waits: bool = False) -> Any:
        def run(state: Mapping[str, Any]) -> dict[str, Any]:
            note(folder, f"{name} begins")
            while waits and not (folder / "go").exists():
                Event().wait(0.02)
            note(folder, f"{name} ends")
            return {"text": "done"}

        return run

    graph = StateGraph(Said)
    graph.add_node("early", node("early"))
    graph.add_node("late", node("late", waits=True))
    graph.add_edge(START, "early")
    graph.add_edge("early", "late")
    graph.add_edge("late", END)
    return create_workflow(
        [
            WorkflowStep("first", node("first"), {"done": "second"}),
            WorkflowStep("second", graph.compile(), {"done": "third"}),
            WorkflowStep("third", node("third"), {"done": "COMPLETE"}),
        ],
        checkpointer=checkpointer,
    )


def note(folder: Path, line: str) -> None:
    with (folder / "log").open("a") as log:
        log.write(f"{line}\n")


def main(folder: Path) -> None:
    with SqliteSaver.from_conn_string(str(folder / "checkpoints")) as saver:
        workflow(folder, saver).invoke({"task": "T"}, THREAD, durability="sync")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
