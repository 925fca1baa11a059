"""``answergraph demo`` shows what it promises."""

from answergraph.cli.command_line import MAX_LINE_CHARACTERS
from tests.answergraph.cli.test_command_line import answergraph

OUTCOMES = {
    1: "answered → Report(passed=False, failed_tests=1)",
    2: "answered → Report(passed=False, failed_tests=1)",
    3: "abstained → Abstention(",
    4: "answered → Finding(cause='wrong total', quote='AssertionError: expected 30, got 27')",
    5: "invalid → None",
    6: "answered → 257.25 after 5 tool calls",
}


def test_each_scene_ends_as_its_title_says() -> None:
    code, out, err = answergraph("demo")
    assert (code, err) == (0, "")
    scenes = [" ".join(scene.split()) for scene in out.split("\n\n")[1:]]
    assert len(scenes) == len(OUTCOMES) + 1
    for number, outcome in OUTCOMES.items():
        assert f"outcome {outcome}" in scenes[number - 1]
    assert "repaired JSON taken out of a code fence" in scenes[0]
    assert "sent back 3 tests failed" in scenes[1]
    assert "sent back" in scenes[2]
    assert "nearest passage" in scenes[3]
    assert scenes[4].endswith("rejected the answer: 3 tests failed, so passed must be false.")
    assert [
        words in scenes[6]
        for words in ("disagreement test_average_price", "should have failed test_import", "should have passed test_payment")
    ] == [True] * 3
    assert max(map(len, out.splitlines())) <= MAX_LINE_CHARACTERS


def test_a_demo_of_a_model_that_cannot_be_had_says_why() -> None:
    code, out, err = answergraph("demo", "--model", "local:nothing.gguf")
    assert (code, out) == (2, "")
    assert "there is no such file" in err
