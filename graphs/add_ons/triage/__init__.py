"""The triage of test failures with quoted evidence."""

from answergraph.kit import require_extra

for module in ("charset_normalizer", "defusedxml", "re2"):
    require_extra("triage", module)

from answergraph.graphs.add_ons.triage.triage_graph import create_triage_agent  # noqa: E402 - see above
from answergraph.graphs.add_ons.triage.triage_schema import (  # noqa: E402 - see above
    CaseReport,
    Disagreement,
    FalseNegativeCheck,
    FalsePositiveCheck,
    FlakyCheck,
)
from answergraph.graphs.add_ons.triage.witnesses.witness_tools import Witnesses  # noqa: E402 - see above

__all__ = [
    "CaseReport",
    "Disagreement",
    "FalseNegativeCheck",
    "FalsePositiveCheck",
    "FlakyCheck",
    "Witnesses",
    "create_triage_agent",
]
