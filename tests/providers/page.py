"""Writes what the matrix sees: `python -m tests.providers.page`, in the environment of the clients.

Names of providers as arguments run only these. `python -m tests.test_providers_page` then writes the page.
"""

import json
import sys
from datetime import UTC, datetime

from answergraph import forget_refusals
from tests.providers.test_matrix import CASES, SEEN, WAYS, played, seen


def main() -> None:
    wanted = sys.argv[1:]
    found: dict[str, dict[str, list[list[object]]]] = {}
    for provider, situation in CASES:
        if wanted and provider.name not in wanted:
            continue
        in_each = []
        for way in WAYS:
            forget_refusals()
            result, stub = played(provider, situation, way)
            in_each.append(seen(result, stub))
            if in_each[-1][0] not in (situation.status, "error" if situation.error or provider.name in situation.unable else ""):
                print(f"{provider}: {situation} ({way}): {in_each[-1]} {str(result)[:300]!r} {stub.refused}")
        if any(each != in_each[0] for each in in_each):
            print(f"{provider}: {situation}: not the same in every way: {in_each}")
        found.setdefault(provider.name, {})[situation.name] = in_each
    rows = len(CASES) * len(WAYS)
    today = datetime.now(UTC).date().isoformat()
    known = json.loads(SEEN.read_text())["seen"] if wanted and SEEN.exists() else {}
    in_order = {name: {**known, **found}[name] for name in dict.fromkeys(p.name for p, _ in CASES) if name in {**known, **found}}
    SEEN.write_text(json.dumps({"date": today, "runs": rows, "seen": in_order}, indent=1) + "\n")


if __name__ == "__main__":
    main()
