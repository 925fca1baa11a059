"""Runs as OpenTelemetry spans and metrics. An add-on: it uses the public names of the other packages only."""

import typing

from answergraph.runtime import lazy_imports

if typing.TYPE_CHECKING:
    from answergraph.telemetry.telemetry_handler import TelemetryHandler
else:
    # Imported on first use: OpenTelemetry belongs to an extra.
    __getattr__, __dir__ = lazy_imports.imported_later(__name__)

__all__ = ["TelemetryHandler"]
