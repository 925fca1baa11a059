"""What the register of readers leaves out, and why."""

NOT_MEASURED = {
    "answergraph.agents": "passes names of LangChain on",
    "answergraph.calling.legal_history": "replaces single characters in names of at most a line",
    "answergraph.cli": "reads what the person at the keyboard gave it",
    "answergraph.experiment": "reads its own journal",
    "answergraph.graphs.add_ons.calculator.general_agent": "reads a schema that a caller's guard has passed",
    "answergraph.graphs.add_ons.extract": "reads a schema that a caller's guard has passed",
    "answergraph.many": "reads the rows that the caller gave, and its own ledger",
    "answergraph.tapes": "reads tapes that the developer keeps beside the tests",
    "answergraph.state.messages": "looks for the text of an object in at most 500 characters",
    "answergraph.runtime.lazy_imports": "reads the source of this package",
    "answergraph.graphs.add_ons.judge.offline_judge": "reads what the judge's prompt showed it; a sample policy",
    "answergraph.graphs.add_ons.react.offline_text_model": "reads its own prompt; a sample policy",
    "answergraph.graphs.add_ons.triage.history": "reads its own database",
    "answergraph.graphs.add_ons.triage.run_files.case_": "reads names and at most MAX_PART_CHARACTERS of a case",
    "answergraph.graphs.add_ons.workflow.takt_files": "reads names that the file's reader has bounded",
    "answergraph.graphs.add_ons.workflow.workflow_": "reads names that the file's reader has bounded",
    "answergraph.graphs.add_ons.judge.judging.questions": "reads the developer's prompt",
    "answergraph.offline.arithmetic_": "reads messages of the calculator's own conversation",
    "answergraph.react_text.react_prompt": "reads the developer's prompt",
    "answergraph.nodes.tool_recording": "writes its own JSON, and reads it",
    "answergraph.asking.providers.provider_": "reads names of models, and its own table",
    "answergraph.answers.schemas": "reads declared types",
    "answergraph.json_schema": "reads declared types, and schemas that a caller's guard has passed",
    "answergraph.state.tool_results": "reads JSON at once, in C",
}
"""Modules, or prefixes of their names, whose text is trusted or bounded in length, with the reason."""
