"""Tags are read in any case, and an echo of the prompt's table holds none of the model's own."""

from answergraph.graphs.add_ons.judge.judging.tags import tag, tags_in, without_echo, without_tags


def test_a_tag_is_read_as_it_is_written() -> None:
    assert tag("STEP", 2) == "[STEP:2]"
    assert tags_in("[STEP:1], no: [step:2] [OTHER:3]", "STEP") == [1, 2]
    assert without_tags("So:\n[STEP:1] it is", "STEP") == "So: it is"


def test_a_repeated_row_of_the_prompts_table_is_no_tag_of_the_reply() -> None:
    row = "| 1 | good | `[STEP:1]` |"
    assert without_echo(f"{row} So: [STEP:1]", row) == " So: [STEP:1]"
