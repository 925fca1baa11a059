"""Evidence: the claims of an answer, and the tool results that support them."""

import typing

from answergraph.runtime import lazy_imports

if typing.TYPE_CHECKING:
    from answergraph.evidence.bundles import BUNDLE_KEYS, answer_bundle
    from answergraph.evidence.claim_checking import EvidenceReport, check_evidence
    from answergraph.evidence.marks import FromTools, Mark
    from answergraph.evidence.source_runs import Source
    from answergraph.evidence.verifier import ClaimVerdict, verify_bundle
    from answergraph.state.tool_results import ToolRun
else:
    # Imported on first use.
    __getattr__, __dir__ = lazy_imports.imported_later(__name__)

__all__ = [
    "BUNDLE_KEYS",
    "ClaimVerdict",
    "EvidenceReport",
    "FromTools",
    "Mark",
    "Source",
    "ToolRun",
    "answer_bundle",
    "check_evidence",
    "verify_bundle",
]
