"""The JSON Schema of a declared type, of what can be checked only."""

from typing import TYPE_CHECKING

from pydantic import BaseModel, TypeAdapter
from pydantic.errors import PydanticUndefinedAnnotation, PydanticUserError
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core.core_schema import DecimalSchema, EnumSchema, GeneratorSchema, WithDefaultSchema

from answergraph.json_text.strict_json import is_json
from answergraph.runtime.errors import AgentSpecError

if TYPE_CHECKING:
    from pydantic_core.core_schema import FractionSchema  # Pydantic 2.12 has none

NOT_DESCRIBED = (PydanticUserError, PydanticUndefinedAnnotation, AssertionError)
"""What pydantic raises of a type without a JSON Schema; an assertion of ``Literal[()]``."""

_RATIO = {"pattern": r"^[-+]?\d+(/\d+|\.\d+)?$"}


class AnswerJsonSchema(GenerateJsonSchema):
    """Describes only what can be checked."""

    def get_decimal_pattern(self, schema: DecimalSchema) -> str:
        # Without a pattern, a text beside a number is any text, and a grammar holds a model to nothing.
        return r"^(?!^[-+.]*$)[+-]?0*\d*\.?\d*$"  # as Pydantic wrote it until 2.13

    def fraction_schema(self, schema: "FractionSchema") -> JsonSchemaValue:
        # Without a pattern its text would be any text, too.
        made = {**super().fraction_schema(schema)}
        made["anyOf"] = [each | _RATIO if each["type"] == "string" else each for each in made["anyOf"]]
        return made

    def default_schema(self, schema: WithDefaultSchema) -> JsonSchemaValue:
        made = super().default_schema(schema).items()
        return {key: each for key, each in made if key != "default" or is_json(each)}  # no client sends it

    def generator_schema(self, schema: GeneratorSchema) -> JsonSchemaValue:
        # Pydantic would check the items of such an answer after the run, while somebody reads them.
        return self.handle_invalid_for_json_schema(schema, "items that are checked only when they are read; write list[…]")

    def enum_schema(self, schema: EnumSchema) -> JsonSchemaValue:
        if not schema["members"]:
            name = schema["cls"].__name__
            raise AgentSpecError(f"{name} has no member, so no answer would fit; write one, such as RED = 'red'.")
        return super().enum_schema(schema)


def described(declared: object, adapter: TypeAdapter[object]) -> dict[str, object]:
    """Return the JSON Schema of a type."""
    if not (isinstance(declared, type) and issubclass(declared, BaseModel)):
        return adapter.json_schema(schema_generator=AnswerJsonSchema)
    # A model may override this method, which the adapter alone would ignore.
    is_own = any("model_json_schema" in vars(base) for base in declared.__mro__ if base is not BaseModel)
    return declared.model_json_schema() if is_own else declared.model_json_schema(schema_generator=AnswerJsonSchema)
