"""Reports which workflow files of a TAKT package load: ``make takt-files``."""

import sys
from collections import Counter
from pathlib import Path

from answergraph.errors import WorkflowFileError
from answergraph.graphs import load_workflow


def main(package: str) -> None:
    """Load each file, and count the reasons of those that do not load."""
    files = [path for kind in ("pieces", "workflows") for path in sorted(Path(package).glob(f"**/{kind}/*.yaml"))]
    reasons: Counter[str] = Counter()
    for path in files:
        try:
            load_workflow(path)
        except WorkflowFileError as error:
            reasons[error.problem.partition(";")[0]] += 1
    for reason, times in reasons.most_common():
        sys.stdout.write(f"{times:4}  {reason}\n")
    sys.stdout.write(f"{len(files) - reasons.total()} of {len(files)} files load\n")


if __name__ == "__main__":
    main(sys.argv[1])
