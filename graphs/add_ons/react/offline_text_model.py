"""A rule-based text model that demonstrates the text protocol."""

import re

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseLLM
from langchain_core.outputs import Generation, LLMResult

from answergraph.graphs.add_ons.calculator.llm_math.llm_math_tool import ANSWER, NAME
from answergraph.graphs.add_ons.calculator.llm_math.llm_math_tool import PROMPT as MATH_PROMPT
from answergraph.offline.arithmetic_notation import ExpressionError
from answergraph.offline.expression_search import find_expression

CHARACTERS_PER_TOKEN = 4  # an estimate
_OBSERVATION = re.compile(r"^Observation: (.*?)(?=^Thought:|\Z)", re.MULTILINE | re.DOTALL)
_MATH = MATH_PROMPT.split("\n", 1)[0]
_DECLINES = "I am a set of rules, not a language model, and all I can do is pass arithmetic to a calculator."


class OfflineTextModel(BaseLLM):
    """A deterministic text model for arithmetic that knows the prompts of the text protocol and of the calculator.

    It computes nothing itself. If it cannot do something, its final answer says so and is marked as a refusal.
    """

    @property
    def _llm_type(self) -> str:
        return "offline-text"

    def _generate(
        self,
        prompts: list[str],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: object,
    ) -> LLMResult:
        replies = [_reply(prompt) for prompt in prompts]
        inputs = sum(map(len, prompts)) // CHARACTERS_PER_TOKEN
        outputs = sum(len(reply.text) for reply in replies) // CHARACTERS_PER_TOKEN
        counts = {"prompt_tokens": inputs, "completion_tokens": outputs, "total_tokens": inputs + outputs}
        return LLMResult(generations=[[reply] for reply in replies], llm_output={"token_usage": counts})


def _reply(prompt: str) -> Generation:
    # The last question and its steps.
    question, _, done = prompt.rpartition("Question: ")[2].partition("\nThought:")
    try:
        plan = find_expression(question.strip())
    except ExpressionError as error:
        return _declined(f"I cannot calculate this: {error}.")
    if plan is None:
        return _declined(_DECLINES)
    if prompt.startswith(_MATH):
        return Generation(text=f"```text\n{plan.expression}\n```\n")
    observed = _OBSERVATION.search(done)
    if observed is None:
        return Generation(text=f"I must calculate {plan.expression}.\nAction: {NAME}\nAction Input: {plan.expression}")
    seen = observed[1].strip()
    if not seen.startswith(ANSWER):
        return _declined(seen)
    return Generation(text=f"I now know the final answer.\nFinal Answer: {seen.removeprefix(ANSWER).strip()}")


def _declined(reason: str) -> Generation:
    return Generation(text=reason, generation_info={"finish_reason": "refusal"})
