"""The plan of a triage: causes to judge, known causes, and the estimated cost."""

from dataclasses import dataclass, field

from answergraph.graphs.add_ons.triage.case_graph import CONCLUDE_LIMITS, EXPLORE_LIMITS, CaseTask
from answergraph.graphs.add_ons.triage.clusters import Cluster, clusters_of
from answergraph.graphs.add_ons.triage.history import History
from answergraph.graphs.add_ons.triage.offline.stack_frames import frames_of
from answergraph.graphs.add_ons.triage.run_files.case_facts import CaseFacts, different, facts_of
from answergraph.graphs.add_ons.triage.run_files.case_identity import environment
from answergraph.graphs.add_ons.triage.run_files.case_survey import Case, Survey
from answergraph.graphs.add_ons.triage.run_files.read_only_folder import Folder
from answergraph.graphs.add_ons.triage.triage_schema import CaseRef, CaseReport, report_on
from answergraph.kit import sealed

MAX_CALLS = (EXPLORE_LIMITS.model_calls or 0) + (CONCLUDE_LIMITS.model_calls or 0)
"""Maximum model calls per cause."""
USUAL_CALLS = 5
"""Usual calls: read the case, search twice, report, conclude."""
TOKENS_AROUND = 1_800
"""Tokens of prompts and tools per call."""
CHARACTERS_A_TOKEN = 4


@dataclass
class TriagePlan:
    """The causes of a run's failures, by what to do."""

    tasks: list[CaseTask] = field(default_factory=list)
    """To be judged now."""
    reports: list[CaseReport] = field(default_factory=list)
    """Known from an earlier run, or beyond the limit."""
    bundles: list[dict[str, object]] = field(default_factory=list)
    tokens: int = 0
    """Estimated tokens, at ``USUAL_CALLS`` per task."""

    @property
    def estimate(self) -> str:
        """The calls and tokens that the tasks will take, in a sentence."""
        for_model = sum(1 for task in self.tasks if task["kind"] != "flaky")  # flaky tests need no model
        cases, causes = sum(len(task["cases"]) for task in self.tasks), len(self.tasks)
        return (
            f"{cases} case{'s' * (cases != 1)} of {causes} cause{'s' * (causes != 1)} to judge: "
            f"about {USUAL_CALLS * for_model} calls of the model and {self.tokens:,} tokens, "
            f"at most {MAX_CALLS * for_model} calls."
        )


def plan_of(folder: Folder, survey: Survey, *, limit: int | None, history: History | None, model: str) -> TriagePlan:
    """Return the plan for the causes of a run's failures."""
    clusters = clusters_of(survey)
    known = history.remembered([cluster.fingerprint for cluster in clusters], model) if history else {}
    plan = TriagePlan()
    for cluster in clusters:
        task = _task(folder, cluster, survey)
        if cluster.fingerprint in known and cluster.cases[0].kind != "flaky":
            at, report, bundle = known[cluster.fingerprint]
            plan.reports.append(report_on(task, **{**report, "remembered": at}))
            plan.bundles.append(sealed({**bundle, "case": task["case"]}))
        elif limit is not None and len(plan.tasks) >= limit:
            reason = f"No more than {limit} causes were to be judged."
            plan.reports.append(report_on(task, status="not_judged", reason=reason))
        else:
            plan.tasks.append(task)
            plan.tokens += _tokens(cluster, survey)
    return plan


def _task(folder: Folder, cluster: Cluster, survey: Survey) -> CaseTask:
    first = cluster.cases[0]
    return CaseTask(
        folder=str(folder.root),
        case=first.result.id,
        test=first.result.title,
        kind=first.kind,
        cause=cluster.cause,
        cluster=cluster.fingerprint,
        cases=[_ref(case, survey) for case in cluster.cases],
    )


def _ref(case: Case, survey: Survey) -> CaseRef:
    result = case.result
    facts = CaseFacts(**facts_of(case, survey))
    return CaseRef(
        case=result.id,
        test=result.title,
        source=_source(case),
        environment=environment(result),
        elsewhere=[f"{other['status']} where {different(other)}" for other in facts.elsewhere],
        tries=[" ".join((one.message or one.details or one.written).split())[:200] for one in result.tries],
    )


def _source(case: Case) -> str:
    """Return the place of the test's code, from the result or from its stack trace."""
    result = case.result
    if result.source:
        return ":".join(filter(None, (result.source, result.source_line)))
    own = [frame for frame in frames_of(result.details or result.message) if not frame.is_library]
    source_frame = next((frame for frame in own if frame.is_test), own[-1] if own else None)
    return f"{source_frame.path}:{source_frame.line}" if source_frame else ""


def _tokens(cluster: Cluster, survey: Survey) -> int:
    first = cluster.cases[0]
    if first.kind == "flaky":
        return 0
    return USUAL_CALLS * (TOKENS_AROUND + len(CaseFacts(**facts_of(first, survey)).text) // CHARACTERS_A_TOKEN)
