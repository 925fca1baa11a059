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

__all__ = ["CaseReport", "Disagreement", "FalseNegativeCheck", "FalsePositiveCheck", "FlakyCheck", "create_triage_agent"]
