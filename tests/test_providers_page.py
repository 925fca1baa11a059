"""The table of `docs/providers.md`, generated from the table of provider families.

`python -m tests.test_providers_page` rewrites the page.
"""

import json
from pathlib import Path

from answergraph.asking.providers.provider_table import COMPATIBLE, ProviderFamily, families

SEEN = Path(__file__).parent / "providers" / "seen.json"
PAGE = Path(__file__).parents[1] / "docs" / "providers.md"
WRITE_IT = "docs/providers.md does not match the table; rewrite it: python -m tests.test_providers_page"

ABOVE = """# How each provider is asked

A bare schema as `response_format` means `AutoStrategy`. It uses the best strategy that the model's provider is known to support:

- `provider`: the provider enforces the JSON schema
- `tool`: the answer is a tool, and a tool call is forced
- `free_tool`: the same, but the model decides whether to call it
- `json_mode`: the provider enforces JSON, and the schema is in the prompt
- `prompted`: the schema is in the prompt

If the provider refuses a request, or the model ignores it, `AutoStrategy` uses the next strategy. The table shows the first.
A wrong or outdated row costs one refused request an hour, per process and model. Ollama and vLLM are exceptions: with a format
beside tools they return a made-up answer that looks like any other. "After its tools" means that the model first works with its
tools only, and is asked for the answer when it stops calling them. If a gateway serves the model, the row of the model's name
applies too. If a model has a `profile`, the profile decides whether there is a `provider` mode; `False` holds for a model of the
table too. "Thinking" means thinking with a budget, or the provider's equivalent; Anthropic's adaptive thinking does not count.

| family | recognised by | starts at | with tools | thinking | thinking, with tools | `json_mode` |
|---|---|---|---|---|---|---|
"""
BELOW = """
Each row is tested against a loopback server that refuses and ignores the same requests as the family does. Notes and sources:

"""


MATRIX = """
## What every provider does in every situation

`make test-providers` runs an agent with a bare schema once for each of the {providers} columns: nine providers, two of them
twice, and two servers that you host. It uses the real clients, against a stub on loopback that refuses what the API refuses, in
the API's words. The rules and their sources are in [rules.py](../tests/providers/rules.py),
[history_rules.py](../tests/providers/history_rules.py) and [schema_rules.py](../tests/providers/schema_rules.py), the situations
in [tests/providers/situations.py](../tests/providers/situations.py). Each situation runs blocking, awaited and streamed:
{runs} runs, last written on {date}. A cell is the status of the outcome and the number of requests, refused ones included;
`error` means that the provider's error is raised. Refusals are remembered, so later runs make fewer requests than the table
shows.

A streamed refusal of a chat completion takes a second request: `ChatOpenAI` drops it from the stream, so the request is repeated
without streaming. A schema that is deeper or larger than the provider's documentation allows is not sent in the schema mode. If
the limit is not documented, or it is unknown whether references count, the provider refuses one request. The refusal is
remembered for that schema only.

"""


def first_strategy(family: ProviderFamily, *, tools: bool, thinking: bool) -> str:
    if tools and family.answers_last:
        return f"after its tools: {first_strategy(family, tools=False, thinking=thinking)}"
    strategies = {"provider": family.ways.native, "tool": family.ways.forced_tool}
    first = next((name for name, when in strategies.items() if when.holds(tools=tools, thinking=thinking)), "free_tool")
    return f"`{first}`"


def recognised_by(family: ProviderFamily) -> str:
    if family.name == COMPATIBLE:
        return "a client of OpenAI's API with another address"
    parts = [f"`{name}`" for name in sorted(family.clients)]
    parts += [f"address `{family.address}`"] if family.address else []
    parts += [f"name `{family.models}`"] if family.models else []
    return ", ".join(parts).replace("|", r"\|")


def line(family: ProviderFamily) -> str:
    starts = [first_strategy(family, tools=tools, thinking=thinking) for thinking in (False, True) for tools in (False, True)]
    name = f"{family.name} (gateway)" if family.gateway else family.name
    cells = [name, recognised_by(family), *starts, family.ways.json_mode.value]
    return f"| {' | '.join(cells)} |\n"


def behind(family: ProviderFamily) -> str:
    notes = [family.note] if family.note else []
    notes += [f"Names that think by default: `{family.thinks}`."] if family.thinks else []
    sources = " ".join(f"<{source}>" for source in family.sources)
    return f"- **{family.name}**: {' '.join([*notes, sources])} ({family.written})\n"


def matrix() -> str:
    data = json.loads(SEEN.read_text())
    seen: dict[str, dict[str, list[list[object]]]] = data["seen"]
    situations = dict.fromkeys(situation for found in seen.values() for situation in found)
    rows = [f"| situation | {' | '.join(seen)} |\n", f"|---{'|---' * len(seen)}|\n"]
    rows += [f"| {each} | {' | '.join(cell(found.get(each)) for found in seen.values())} |\n" for each in situations]
    return MATRIX.format(runs=data["runs"], date=data["date"], providers=len(seen)) + "".join(rows)


def cell(ways: list[list[object]] | None) -> str:
    """Return the status and the number of requests; if streaming differs, its pair follows."""
    if ways is None:
        return ""
    found = dict.fromkeys(f"{status} {requests}" for status, requests in ways)
    return ", streamed ".join(found)


def page() -> str:
    return ABOVE + "".join(map(line, families())) + BELOW + "".join(map(behind, families())) + matrix()


def test_the_page_shows_the_table() -> None:
    assert PAGE.read_text() == page(), WRITE_IT


if __name__ == "__main__":
    PAGE.write_text(page())
