"""Cases: inputs with the answers that are expected of an agent."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from answergraph.runtime.errors import AgentSpecError
from answergraph.runtime.explained_arguments import explains_arguments


@explains_arguments('Case({"messages": […]}, expected_output)')
@dataclass(frozen=True)
class Case:
    """An input, and the answer that is expected."""

    inputs: Any
    """What ``agent.invoke`` takes; a text is the caller's message."""
    expected_output: Any
    """The answer or its JSON, whole or only the fields that count; ``None`` if there is none; or a predicate of the answer."""
    name: str | None = None
    """Names the case in reports; by default its number, from 1."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """Anything of yours; it is not read."""


def named_cases(cases: Iterable[Case] | str | Path) -> dict[str, Case]:
    """Return cases by their names; from a file with a JSON object a line.

    Raises:
        AgentSpecError: If there are none, two have one name, or a line is no case.
    """
    named: dict[str, Case] = {}
    for number, case in enumerate(_read(Path(cases)) if isinstance(cases, str | Path) else cases, start=1):
        if not isinstance(case, Case):
            raise AgentSpecError(f"Case {number} is {case!r:.80}; write Case(inputs, expected_output).")
        name = case.name or str(number)
        if name in named:
            raise AgentSpecError(f"Two cases have the name {name!r}; give each its own.")
        named[name] = case
    if not named:
        raise AgentSpecError("There are no cases.")
    return named


def _read(path: Path) -> Iterator[Case]:
    if not path.is_file():
        raise AgentSpecError(f"There is no file {str(path)!r} of cases.")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise AgentSpecError(f"{path} is not a text in UTF-8: convert with 'iconv -f latin1 -t utf-8'.") from error
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            yield _case(json.loads(line))
        except (ValueError, TypeError) as error:
            why = str(error).rstrip(".")
            raise AgentSpecError(
                f'{path}, line {number}, is no case: {why}. Write {{"inputs": …, "expected_output": …}}, with "name" and '
                '"metadata" if you like.'
            ) from error


def _case(data: Mapping[str, Any]) -> Case:
    """Return a case of its JSON, or of that of an example of a LangSmith dataset, which has ``outputs``."""
    if "outputs" not in data:
        return Case(**data)
    return Case(data["inputs"], data["outputs"], str(data["id"]) if data.get("id") else None, data.get("metadata") or {})
