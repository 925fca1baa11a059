"""The live view prints a line for each action of a node."""

from langchain_core.messages import ToolMessage

from answergraph.cli.terminal.live_view import step_lines


def test_a_tools_result_and_a_correction_have_different_signs() -> None:
    result = ToolMessage("7", name="add", tool_call_id="1")
    sent_back = ToolMessage("Too high.", name="Sum", tool_call_id="2", id="answergraph-correction-1")
    assert list(step_lines({"messages": [result, sent_back]})) == ["← add: 7", "↺ Sum: Too high."]
