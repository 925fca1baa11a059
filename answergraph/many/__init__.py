"""Many documents: one typed row each, resumable. An add-on: it uses the public names of the other packages only."""

import typing

from answergraph.runtime import lazy_imports

if typing.TYPE_CHECKING:
    from answergraph.many.arrow_map import ArrowMap
    from answergraph.many.batches.batch_api import BatchAPI
    from answergraph.many.ledger.rows import Group, Row
    from answergraph.many.map_run import MapRun, map_answers
else:
    # Imported on first use, so that the command line starts fast.
    __getattr__, __dir__ = lazy_imports.imported_later(__name__)

__all__ = ["ArrowMap", "BatchAPI", "Group", "MapRun", "Row", "map_answers"]
