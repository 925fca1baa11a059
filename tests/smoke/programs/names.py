"""Every public name can be imported, with all the extras."""

import importlib

PACKAGES = (
    "answergraph",
    "answergraph.errors",
    "answergraph.evidence",
    "answergraph.graphs",
    "answergraph.kit",
    "answergraph.many",
    "answergraph.middleware",
    "answergraph.models",
    "answergraph.serving",
    "answergraph.telemetry",
    "answergraph.streaming",
    "answergraph.testing",
    "answergraph.types",
)
OF_EXTRAS = ("answergraph.page.app", "answergraph.cli.command_line", "answergraph.agents", "answergraph.graphs.served")


def main() -> None:
    """Import each name."""
    for package in (*PACKAGES, *OF_EXTRAS):
        module = importlib.import_module(package)
        for name in getattr(module, "__all__", ()):
            assert getattr(module, name) is not None, name


if __name__ == "__main__":
    main()
