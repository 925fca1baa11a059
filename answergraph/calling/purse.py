"""What model calls cost, for runs whose limits have a cost or prices."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec

from langchain_core.messages import AIMessage

from answergraph.asking.providers.model_capabilities import address_of, model_name
from answergraph.asking.strategies.strategy import AnswerRequest
from answergraph.runtime.argument_checks import is_positive, shown
from answergraph.runtime.errors import AgentSpecError
from answergraph.runtime.steps import TIMED_VISIT, Step, off_loop
from answergraph.state.outcome import ModelPrice, Prices, Usage
from answergraph.state.usage import Spending, UsageLimits, token_count, usage_of

Asked = tuple[AnswerRequest, AIMessage]
"""A request for an answer, and the reply."""

_MILLION = 1_000_000
# Clients without an address, and whose prices they pay. With an address, that decides: a server of your own has other prices.
_PROVIDERS: Mapping[str, str] = {
    "AzureChatOpenAI": "azure",
    "ChatXAI": "x-ai",
    "ChatDeepSeek": "deepseek",
    "ChatOpenAI": "openai",
    "ChatAnthropic": "anthropic",
    "ChatGoogleGenerativeAI": "google",
    "ChatVertexAI": "google",
    "ChatMistralAI": "mistral",
    "ChatGroq": "groq",
    "ChatBedrockConverse": "aws",
    "ChatBedrock": "aws",
    "ChatOpenRouter": "openrouter",
    "ChatFireworks": "fireworks",
    "ChatTogether": "together",
    "ChatCohere": "cohere",
    "ChatPerplexity": "perplexity",
}
_DETAILS = {
    "cache_read_tokens": "cache_read",
    "cache_write_tokens": "cache_creation",
    "cache_write_5m_tokens": "ephemeral_5m_input_tokens",
    "cache_write_1h_tokens": "ephemeral_1h_input_tokens",
}
_PARTS_OF_WRITING = ("cache_write_5m_tokens", "cache_write_1h_tokens")
UNKNOWN_PRICE = (
    "UsageLimits(cost={cost}): the price of {name!r} is not known. Write prices={{{name!r}: {{'input': …, 'output': …}}}}, "
    "per million tokens"
)
NO_AMOUNT = (
    "UsageLimits(prices={prices}): it returned {cost!r} for a call of {name!r}. Return an amount of money, 0 or more, or None if "
    "the price is not known."
)


@dataclass
class Purse:
    """The cost of one visit's model calls."""

    limits: UsageLimits
    spending: Spending = field(default_factory=Spending)

    def paid(self, asking: Step[Asked], model: object) -> Step[Asked]:
        """Make a call of a model, and pay for it.

        Raises:
            AgentSpecError: If the cost is limited and the price of the model is not known.
        """
        # Prices may be a function of the user's, which may hang.
        is_slow = TIMED_VISIT.get() is not None and callable(self.limits.prices)
        yield from off_loop(self.check, model, when=is_slow)
        request, reply = yield from asking
        yield from off_loop(self.pay, model, reply, when=is_slow)
        return request, reply

    def check(self, model: object) -> None:
        """Raise ``AgentSpecError`` if the cost is limited and the price of a model is not known."""
        if self.limits.cost is not None and cost_of(model, AIMessage(""), self.limits.prices) is None:
            # With the package installed, it has no price of this model.
            install = "" if find_spec("genai_prices") else ", or install those of providers: pip install 'answergraph[prices]'"
            raise AgentSpecError(UNKNOWN_PRICE.format(cost=self.limits.cost, name=name_of(model)) + install + ".")

    def pay(self, model: object, reply: AIMessage) -> None:
        """Add what a call has cost; a reply whose tokens are not reported has no price."""
        cost = cost_of(model, reply, self.limits.prices) if reply.usage_metadata else None
        self.spending.costs.append(cost or 0.0)
        if cost is None:
            self.note_unpriced(model)

    def note_unpriced(self, model: object) -> None:
        """Note that nobody knows what a call of a model has cost."""
        if name_of(model) not in self.spending.unpriced:
            self.spending.unpriced.append(name_of(model))


def name_of(model: object) -> str:
    """Return the name of a model that its price is found by."""
    return model_name(model) or type(model).__name__


def cost_of(model: object, reply: AIMessage, prices: Prices | None) -> float | None:
    """Return the cost of a call by its reply; ``None`` if the price is not known."""
    if isinstance(reply.usage_metadata, dict) and reply.usage_metadata.get("total_cost") == 0:
        return 0.0  # LangChain's mark of a reply out of its cache
    usage: Usage = {**usage_of([reply], "turn", model_calls=1, tool_calls=0), "by_cause": {}}
    if callable(prices):
        cost = prices(name_of(model), usage)
        if cost is not None and cost != 0 and not is_positive(cost):
            raise AgentSpecError(NO_AMOUNT.format(prices=shown(prices), cost=cost, name=name_of(model)))
        if cost is not None:
            return float(cost)
    elif prices is not None and name_of(model) in prices:
        return _by_table(usage, prices[name_of(model)])
    return _providers_price(model, reply, usage)


def _by_table(usage: Usage, price: ModelPrice) -> float:
    cached = min(usage.get("cached_tokens", 0), usage["input_tokens"])
    cost = (usage["input_tokens"] - cached) * float(price["input"]) + usage["output_tokens"] * float(price["output"])
    return (cost + cached * float(price.get("cached_input", price["input"]))) / _MILLION


def _providers_price(model: object, reply: AIMessage, usage: Usage) -> float | None:
    """Return the cost by genai-prices; ``None`` if it is not installed, or does not know the model of this provider."""
    address = address_of(model)
    provider = next((_PROVIDERS[kind.__name__] for kind in type(model).__mro__ if kind.__name__ in _PROVIDERS), None)
    where = {"provider_api_url": address} if "://" in address else {"provider_id": provider}
    try:
        import genai_prices  # noqa: PLC0415 - an optional package of 1.6 MB
    except ImportError:
        return None
    details = reply.usage_metadata.get("input_token_details") if isinstance(reply.usage_metadata, dict) else None
    counts = {name: _detail(details, key) for name, key in _DETAILS.items()}
    # Anthropic's client gives the sum, or its parts and 0.
    counts["cache_write_tokens"] = counts["cache_write_tokens"] or sum(counts[part] for part in _PARTS_OF_WRITING)
    counts |= {"input_tokens": usage["input_tokens"], "output_tokens": usage["output_tokens"]}
    tier = reply.response_metadata.get("service_tier")
    context = {"service_tier": tier} if isinstance(tier, str) else None
    if None in where.values():
        return None
    try:
        used = genai_prices.Usage(**{name: count for name, count in counts.items() if count})
        price = genai_prices.calc_price(used, name_of(model), price_context=context, **where)
    except (LookupError, ValueError):  # unknown; or counts that contradict each other
        return None
    return float(price.total_price)


def _detail(details: object, key: str) -> int:
    """Return a count of the input's details; a client may write the service tier before its name."""
    names = [name for name in details if name == key or name.endswith(f"_{key}")] if isinstance(details, dict) else []
    return sum(token_count(details, name) for name in names)
