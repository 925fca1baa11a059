"""The triage of test failures with quoted evidence."""

from answergraph.runtime.extras import extra_needed

with extra_needed("triage", "the triage"):
    from answergraph.graphs.add_ons.triage.triage_graph import create_triage_agent
    from answergraph.graphs.add_ons.triage.triage_schema import CaseReport, FalseNegativeCheck, FalsePositiveCheck, FlakyCheck

__all__ = ["CaseReport", "FalseNegativeCheck", "FalsePositiveCheck", "FlakyCheck", "create_triage_agent"]
