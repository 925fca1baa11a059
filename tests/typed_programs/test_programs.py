"""Each program does what it says; ``tests/graphs/agent/test_agent_types.py`` has the type checkers look at them."""

from tests.typed_programs import approval, checked_question, extraction, ready_made, served, suite, two_nodes


def test_an_order_is_extracted_after_a_correction() -> None:
    assert extraction.main() == ["2 × pen"]


def test_two_agents_write_to_one_key() -> None:
    assert two_nodes.main() == [1, 2]


def test_a_person_edits_a_call() -> None:
    to, result = approval.main()
    assert (to, result.endswith("sent to Ada")) == ("Ada", True)


def test_a_graph_for_a_server_knows_who_asks() -> None:
    assert served.main() == "Ada"


def test_a_users_own_tests_pass() -> None:
    assert suite.main() == 4


def test_a_node_asks_one_checked_question() -> None:
    assert checked_question.main() == (7, 14, "items[].price")


def test_two_readers_agree_in_a_thread() -> None:
    assert ready_made.main() == "A-1"
