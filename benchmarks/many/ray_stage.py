"""Ray Data's own stage for language models, on the same rows and server. It needs ``ray[data]``, aiohttp and transformers.

As a program over it would be written: it asks again as often as we do, and reads each reply with Pydantic.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from pathlib import Path
from typing import Any

import ray
from pydantic import ValidationError
from ray.data.llm import HttpRequestProcessorConfig, build_processor

from benchmarks.many.workers import MODEL, Reading, documents

_PROCESSES = 4
_RETRIES = 2


def request_of(row: dict[str, Any]) -> dict[str, Any]:
    """Return the payload of a row."""
    schema = {"name": "Reading", "schema": Reading.model_json_schema(), "strict": False}
    wanted = {"type": "json_schema", "json_schema": schema}
    payload = {"model": MODEL, "messages": [{"role": "user", "content": row["body"]}], "response_format": wanted}
    return {"id": row["id"], "payload": payload}


def row_of(row: dict[str, Any]) -> dict[str, Any]:
    """Return the row of a reply; one that holds no reading has the words of Pydantic or of the reply."""
    reply = row["http_response"]
    try:
        reading = Reading.model_validate_json(reply["choices"][0]["message"]["content"])
    except (ValidationError, TypeError) as error:  # a fault has no choices
        return {"key": row["id"], "number": None, "kind": None, "error": str(error)}
    return {"key": row["id"], "number": reading.number, "kind": reading.kind, "error": ""}


def main() -> None:
    """Map the rows into a Parquet file."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, required=True)
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    ray.init(num_cpus=_PROCESSES, include_dashboard=False, _node_ip_address="127.0.0.1", log_to_driver=False)
    config = HttpRequestProcessorConfig(
        url=os.environ["ANSWERGRAPH_MAP_URL"] + "/chat/completions",
        max_retries=_RETRIES,
        base_retry_wait_time_in_s=0.02,
        concurrency=_PROCESSES,
        batch_size=16,
    )
    ask = build_processor(config, preprocess=request_of, postprocess=row_of)
    rows = ray.data.from_items(list(documents(arguments.rows)), override_num_blocks=4 * _PROCESSES)
    from pyarrow import concat_tables, parquet  # noqa: PLC0415 - an optional dependency

    table = concat_tables(ray.get(ask(rows).to_arrow_refs()), promote_options="permissive")
    parquet.write_table(table, Path(arguments.out))
    sys.stdout.write("ended\n")


if __name__ == "__main__":
    main()
