"""Writes the results of the matrix: `python -m tests.providers.page`, in the environment with the clients.

Names of providers as arguments select providers. `python -m tests.test_providers_page` then writes the page.
"""

import json
import sys
from datetime import UTC, datetime
from typing import Any

from answergraph.models import forget_refusals
from tests.providers.providers import PROVIDERS, Provider
from tests.providers.situations import Situation
from tests.providers.test_matrix import CASES, SEEN, WAYS, played, seen


def main() -> None:
    wanted = sys.argv[1:] or [provider.name for provider in PROVIDERS]
    for provider in PROVIDERS:
        if provider.name in wanted:
            write(provider, {situation.name: all_ways(provider, situation) for each, situation in CASES if each is provider})


def all_ways(provider: Provider, situation: Situation) -> list[list[Any]]:
    """Play a situation in every way, and report unexpected results."""
    found = []
    for way in WAYS:
        forget_refusals()
        result, stub = played(provider, situation, way)
        found.append(seen(result, stub))
        if found[-1][0] not in (situation.status, "error"):
            print(f"{provider}: {situation} ({way}): {found[-1]} {stub.refused} {str(result)[:300]}")
    return found


def write(provider: Provider, found: dict[str, list[list[Any]]]) -> None:
    """Add the results of one provider to those of the others."""
    known = json.loads(SEEN.read_text())["seen"] if SEEN.exists() else {}
    known[provider.name] = found
    in_order = {each.name: known[each.name] for each in PROVIDERS if each.name in known}
    today = datetime.now(UTC).date().isoformat()
    SEEN.write_text(json.dumps({"date": today, "runs": len(CASES) * len(WAYS), "seen": in_order}) + "\n")


if __name__ == "__main__":
    main()
