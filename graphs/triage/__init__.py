"""The triage of a failed test run: is each failure real, with quoted evidence."""

from answergraph.graphs.triage.schema import CaseReport, FalseNegativeCheck, FalsePositiveCheck
from answergraph.graphs.triage.triage_graph import create_triage_agent

__all__ = ["CaseReport", "FalseNegativeCheck", "FalsePositiveCheck", "create_triage_agent"]
