"""The experiment as it was first made: its tools, schema, tasks and two prompts, in its own words.

Prompts affect the result, so nothing here is translated or improved. The control variations of schema and prompt differ in one
thing each.
"""

from dataclasses import dataclass
from typing import Any

from langchain_core.tools import BaseTool, tool
from pydantic import BaseModel, Field, create_model

from answergraph.graphs.add_ons.calculator.calculator import TOLERANCE, add, divide, multiply, subtract


@dataclass(frozen=True)
class Task:
    """One question with its known value."""

    id: str
    question: str
    value: float


TASKS: tuple[Task, ...] = (
    Task("calc_01", "(17 × 23) + (89 ÷ 4) - 156 を計算してください。", 257.25),
    Task("calc_02", "(1024 ÷ 16) × 7 - (33 + 45) を計算してください。", 370),
    Task("calc_03", "(999 - 123) × 2 ÷ 4 + 67 を計算してください。", 505),
    Task("calc_04", "(48 + 72) × 5 - (200 ÷ 8) を計算してください。", 575),
    Task("calc_05", "(144 ÷ 12) + (35 × 6) - 89 を計算してください。", 133),
    Task("calc_06", "(500 - 123) × 3 ÷ 9 + 44 を計算してください。", 377 * 3 / 9 + 44),  # 169.67 in the seed
    Task("calc_07", "(81 ÷ 9) × (14 + 6) - 55 を計算してください。", 125),
    Task("calc_08", "(256 + 128) ÷ 4 × 3 - 100 を計算してください。", 188),
    Task("calc_09", "(77 × 11) - (324 ÷ 18) + 29 を計算してください。", 858),
    Task("calc_10", "(1000 - 450) ÷ 5 + (32 × 4) を計算してください。", 238),
)
"""No task asks for a validation, because the effect of the schema is measured."""

HALF_A_HUNDREDTH = 0.005
"""The seed's values have at most two decimals: an answer rounded to two is correct, validated and grounded."""

SYSTEM_PROMPT = """\
あなたは計算を実行するアシスタントです。

【ルール】
1. 計算は必ず add, subtract, multiply, divide ツールを使用
2. 暗算禁止。必ずツールを呼ぶこと
3. ステップごとにツールを呼び出すこと"""

NO_FORMAT_PROMPT = f"""{SYSTEM_PROMPT}

【出力形式】
最終回答はJSON形式で:
{{"final_answer": <数値>, "reasoning": "<説明>"}}"""

NO_FORMAT_NAMED_PROMPT = f"""{SYSTEM_PROMPT}

【出力形式】
最終回答はJSON形式で:
{{"final_answer": <数値>, "validation_result": <validate_calculation の結果>, "reasoning": "<説明>"}}"""
"""The prompt without a format that names the field: the effect of the name without a schema."""


class SchemaWithValidation(BaseModel):
    """validation_result フィールドを含むスキーマ"""  # noqa: D415 - in the seed's own words, which go to the model

    final_answer: float = Field(description="最終的な計算結果")
    validation_result: dict[str, Any] | None = Field(default=None, description="validate_calculation の結果")
    reasoning: str = Field(description="計算プロセスの説明")


_FIELDS = SchemaWithValidation.model_fields
RequiredValidation: type[BaseModel] = create_model(
    SchemaWithValidation.__name__,  # the model sees the name: it must differ in one thing only
    __doc__=SchemaWithValidation.__doc__,
    final_answer=(float, _FIELDS["final_answer"]),
    validation_result=(dict[str, Any], Field(description=_FIELDS["validation_result"].description)),
    reasoning=(str, _FIELDS["reasoning"]),
)
"""The seed's schema with the optional field required."""


class CalculationResult(BaseModel):
    """計算結果のスキーマ"""  # noqa: D415 - as the seed's; the model sees this text and the name, so neither mentions a validation

    final_answer: float = Field(description="最終的な計算結果")
    reasoning: str = Field(description="計算プロセスの説明")


@tool
def validate_calculation(expected: float, actual: float, operation: str) -> dict[str, Any]:
    """計算結果を検証します。"""  # noqa: D415 - it does end with a full stop
    return {"operation": operation, "is_correct": abs(expected - actual) < TOLERANCE}


ARITHMETIC_TOOLS: tuple[BaseTool, ...] = (
    add.model_copy(update={"description": "2つの数値を加算します。"}),
    subtract.model_copy(update={"description": "2つの数値を減算します (a - b)。"}),
    multiply.model_copy(update={"description": "2つの数値を乗算します。"}),
    divide.model_copy(update={"description": "2つの数値を除算します (a / b)。"}),
)
TOOLS: tuple[BaseTool, ...] = (*ARITHMETIC_TOOLS, validate_calculation)
