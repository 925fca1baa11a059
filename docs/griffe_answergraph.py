"""An extension of griffe for the reference: sections named "Example", and the arguments of ``create_agent``."""

from typing import Any

import griffe


class AnswerGraphDocstrings(griffe.Extension):
    """Shows the prompts of examples as code, and each argument that ``**arguments`` stands for."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = obj.docstring.value.replace("Example:\n", "Examples:\n")

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        create_agent = pkg["graphs.agent.create.create_agent"]
        del create_agent.parameters["arguments"]
        signature = pkg["graphs.agent.signature"]
        for name, argument in {**signature["AgentOptions"].attributes, **signature["AgentArguments"].attributes}.items():
            kind = griffe.ParameterKind.keyword_only
            create_agent.parameters.add(griffe.Parameter(name, annotation=argument.annotation, kind=kind, default="..."))
