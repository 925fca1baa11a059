"""The keys of TAKT's piece and workflow files: texts by reference, reports, rule appendices.

A movement is a step, its persona the agent's system prompt, its policies, knowledge and reports parts of the instruction. The
caller grants the tools.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from answergraph.errors import WorkflowSpecError
from answergraph.graphs.add_ons.workflow.yaml_document import MAX_FILE_CHARACTERS

SYNONYMS: Mapping[str, str] = {
    "movements": "steps",
    "initial_movement": "initial_step",
    "max_movements": "max_steps",
    "instruction_template": "instruction",
    "agent_name": "persona_name",
    "piece_config": "workflow_config",
}
REFUSED: Mapping[str, str] = {
    "arpeggio": "write an agent that works through the data, and name it as the step's agent",
    "answer_agent": "nobody is asked while a workflow runs",
    **dict.fromkeys(("all_steps", "facet_pools", "dynamic_facets", "companion"), "write what holds for a step into the step"),
    **dict.fromkeys(("kind", "mode", "effects", "system_inputs"), "write an agent that does it, and name it as the step's agent"),
    **dict.fromkeys(("schemas", "structured_output"), "write an agent with a response_format, and name it as the step's agent"),
    "uses": "write the step itself into the file",
    "call": "name the other workflow's graph as the step's agent",
    "subworkflow": "load the file by itself, and name its graph as a step's agent",
}
"""The unsupported keys, and what to write instead."""
SECTIONS = ("personas", "policies", "knowledge", "instructions", "report_formats")
MAX_PATH_CHARACTERS = 255

_FOLDERS = {"report_formats": "output-contracts"}
_NAME = re.compile(r"[\w-]+")
_AI = re.compile(r"""\s*ai\(\s*(["'])(.+)\1\s*\)\s*""", re.DOTALL)
_PLACEHOLDER = re.compile(r"\{(report:[^{}\n]+|report_dir|user_inputs|max_movements|max_steps|movement_iteration|cycle_count)\}")


@dataclass(frozen=True)
class TextsByReference:
    """The texts a file refers to: by section name, path, or name of a file of its kind."""

    file: Path
    sections: Mapping[str, Mapping[str, str]]

    def text(self, section: str, reference: str, key: str) -> str:
        """Return a text; an unknown reference is the text itself. Raise ``WorkflowSpecError`` if a file cannot be read."""
        entry = str(self.sections.get(section, {}).get(reference, reference))
        try:
            path = next((path for path in self._paths(section, entry) if path.is_file()), None)
            text = entry if path is None else path.read_text(encoding="utf-8")
        except (OSError, ValueError, RuntimeError) as error:
            raise WorkflowSpecError(key, f"{entry!r} cannot be read: {error}") from error
        if len(text) > MAX_FILE_CHARACTERS:
            raise WorkflowSpecError(key, f"{entry!r} has more than {MAX_FILE_CHARACTERS} characters")
        return text.strip()

    def texts(self, section: str, references: str | Sequence[str], key: str) -> str:
        listed = [references] if isinstance(references, str) else references
        return "\n\n---\n\n".join(self.text(section, str(reference), key) for reference in listed)

    def _paths(self, section: str, entry: str) -> Iterator[Path]:
        if len(entry) > MAX_PATH_CHARACTERS or "\n" in entry:
            return
        if entry.endswith(".md"):
            yield self.file.parent / Path(entry).expanduser()
        elif _NAME.fullmatch(entry):
            folder = _FOLDERS.get(section, section)
            for base in (Path(".takt"), Path.home() / ".takt", self.file.parent.parent, self.file.parent.parent / "facets"):
                yield base / folder / f"{entry}.md"


def without_ai(condition: str) -> str:
    """Return the label of ``ai("label")``: the judge chooses all labels anyway."""
    match = _AI.fullmatch(condition)
    return condition if match is None else match[2]


def allowed_tools(step: Mapping[str, object], config: Mapping[str, Any]) -> list[str] | None:
    """Return the allowed tools of a step, by its own, its provider's or the file's key; ``None`` if there is none."""
    options = [each.get("provider_options") for each in (step, config)]
    providers = [provider for each in options if isinstance(each, Mapping) for provider in each.values()]
    for mapping in (step, *providers):
        if isinstance(mapping, Mapping) and isinstance(mapping.get("allowed_tools"), list):
            return list(dict.fromkeys(re.sub(r"\(.*", "", str(tool)) for tool in mapping["allowed_tools"]))
    return None


def instruction(step: Mapping[str, Any], texts: TextsByReference, key: str) -> str:
    parts = [texts.text("instructions", step["instruction"], f"{key}.instruction")] if step.get("instruction") else []
    if step.get("edit") is False:
        parts.append("Change no file.")
    for name, section, heading in (("knowledge", "knowledge", "Knowledge"), ("policy", "policies", "Policy to comply with")):
        if step.get(name):
            parts.append(f"## {heading}\n{texts.texts(section, step[name], f'{key}.{name}')}")
    if step.get("quality_gates"):
        parts.append("\n".join(["## Before you finish", *(f"- {gate}" for gate in step["quality_gates"])]))
    for name, form in _reports(step, texts, key):
        parts.append(f"## Report {name}\nYour last message holds this report.\n{form}".rstrip())
    for rule in step.get("rules") or ():
        if isinstance(rule, dict) and isinstance(rule.get("appendix"), str):
            parts.append(f"If the result is {rule['condition']!r}, add:\n{rule['appendix'].rstrip()}")
    return "\n\n".join(parts)


def report_writers(steps: Sequence[object], texts: TextsByReference) -> dict[str, str]:
    named = {f"steps[{index}]": step for index, step in enumerate(steps)}
    for key, step in list(named.items()):
        children = step.get("parallel") if isinstance(step, dict) else None
        named |= {f"{key}.parallel[{index}]": child for index, child in enumerate(children if isinstance(children, list) else ())}
    pairs = [(key, step) for key, step in named.items() if isinstance(step, dict)]
    return {name: str(step.get("name")) for key, step in pairs for name, _ in _reports(step, texts, key)}


def filled(text: str, writers: Mapping[str, str], limit: int, cycle_count: int = 0) -> str:
    """Fill in the placeholders known before a run; reports are the results of their steps."""

    def value(match: re.Match[str]) -> str:
        kind, _, report = match[1].partition(":")
        if report:
            return f"the result of step {writers[report]!r} ({report})" if report in writers else f"the report {report}"
        known = {"max_movements": str(limit), "max_steps": str(limit), "cycle_count": str(cycle_count), "user_inputs": ""}
        known |= {"movement_iteration": "{step_iteration}", "report_dir": "the results of earlier steps"}
        return known[kind]

    return _PLACEHOLDER.sub(value, text)


def _reports(step: Mapping[str, Any], texts: TextsByReference, key: str) -> Iterator[tuple[str, str]]:
    """Yield the name and format of each report of a step, in every notation."""
    contracts = step.get("output_contracts")
    reports = (contracts.get("report") if isinstance(contracts, dict) else None) or step.get("report") or []
    for report in reports if isinstance(reports, list) else [reports]:
        if isinstance(report, str):
            yield report, ""
        elif isinstance(report, dict) and isinstance(report.get("name"), str):
            inner = f"{key}.output_contracts.report"
            forms = [texts.text("report_formats", str(report[part]), inner) for part in ("order", "format") if report.get(part)]
            yield report["name"], "\n\n".join(forms)
        elif isinstance(report, dict):
            yield from ((str(path), f"It is the {label}.") for label, path in report.items())
        else:
            raise WorkflowSpecError(f"{key}.output_contracts.report", "a report is a name, or a mapping with a name")
