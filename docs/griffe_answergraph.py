"""An extension of griffe for the reference: sections named "Example", and the arguments of ``create_agent``."""

import inspect
from typing import Any

import griffe

import answergraph


class AnswerGraphDocstrings(griffe.Extension):
    """Shows the prompts of examples as code, and each argument that ``**arguments`` stands for, with its default."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = obj.docstring.value.replace("Example:\n", "Examples:\n")

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        create_agent = pkg["graphs.agent.create.create_agent"]
        del create_agent.parameters["arguments"]
        options = [pkg[f"graphs.agent.signature.{name}"].attributes for name in ("AgentOptions", "AgentArguments")]
        annotations = {name: argument.annotation for each in options for name, argument in each.items()}
        for name, parameter in inspect.signature(answergraph.create_agent).parameters.items():
            if name in annotations:
                kind = griffe.ParameterKind.keyword_only
                create_agent.parameters.add(
                    griffe.Parameter(name, annotation=annotations[name], kind=kind, default=repr(parameter.default))
                )
