"""What the page shows of a file: an answer with its proofs, a bundle, a saved run, a tape, a report of an evaluation."""

import json
from pathlib import Path
from typing import Any

from answergraph import AgentSpecError
from answergraph.testing import EvalReport, Tape

PROOFS = "answergraph-proofs/"
BUNDLE = "answergraph-bundle/"
RUN = "answergraph-run/"


def saved_answer(path: Path) -> dict[str, object]:
    """Return what the page shows of a file.

    Raises:
        AgentSpecError: If the file holds none.
    """
    first = path.read_bytes()[:64]
    if b'"answergraph_tape"' in first:
        return {"kind": "tape", "records": Tape.load(path).records}
    if b'"answergraph_evaluation"' in first:
        report = EvalReport.load(path)
        return {"kind": "evaluation", "runs": report.runs, "fields": {name: vars(each) for name, each in report.fields.items()}}
    try:
        saved = json.loads(path.read_text(encoding="utf-8"))
        kept_as = str(saved["format"])
    except (ValueError, KeyError, TypeError) as error:
        raise AgentSpecError(
            f"{path} cannot be shown: it is no file of 'Save with proofs' or 'Save the run' of the page, no bundle (--bundle), "
            "tape, report (eval --save) or ledger."
        ) from error
    if kept_as.startswith(BUNDLE):
        return {"kind": "proofs", **_of_bundle(saved)}
    if kept_as.startswith(PROOFS):
        return {"kind": "proofs", **saved}
    if kept_as.startswith(RUN):
        return {"kind": "run", **saved}
    raise AgentSpecError(f"{path} has the format {kept_as!r}, which this version of answergraph cannot show.")


def _of_bundle(bundle: dict[str, Any]) -> dict[str, object]:
    """A bundle has the sources as results, whose texts are joined as evidence counts them."""
    outcome = {
        "status": bundle["status"],
        "reason": "",
        "schema": bundle["schema"],
        "attempts": [],
        "fields": bundle["fields"] or {},
    }
    documents = [
        {
            "id": result["tool_call_id"],
            "name": result["name"],
            "text": "".join(result["texts"]),
            "others": result.get("unread", []),
        }
        for result in bundle["results"]
    ]
    return {"answer": bundle["answer"], "outcome": outcome, "documents": documents}
