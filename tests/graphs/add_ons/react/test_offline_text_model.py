"""The text model of rules writes the text protocol."""

from answergraph.graphs.add_ons.react.offline_text_model import OfflineTextModel


def test_the_text_model_of_rules_calls_the_calculator_and_computes_nothing() -> None:
    asked = "Question: What is 3 + 4?\nThought:"
    assert OfflineTextModel().invoke(asked) == "I must calculate 3 + 4.\nAction: Calculator\nAction Input: 3 + 4"
    seen = f"{asked}I must calculate.\nAction: Calculator\nAction Input: 3 + 4\nObservation: Answer: 8\nThought:"
    assert OfflineTextModel().invoke(seen) == "I now know the final answer.\nFinal Answer: 8"
