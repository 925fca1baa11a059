"""nginx in front of the servers, with the file of a deployment; only its addresses are of this machine."""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.suite import processes
from tests.suite.langgraph_dev import REPOSITORY

PROGRAM = "nginx"
DEPLOYED = REPOSITORY / "examples" / "server" / "nginx.conf"
# What an image of nginx has around that file.
AROUND = """
daemon off;
user {user};
pid {folder}/pid;
error_log stderr;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    {deployed}
}}
"""


@contextmanager
def in_front_of(servers: Sequence[str]) -> Iterator[str]:
    """Run nginx before two servers, and give its address; skip the test where it is not installed."""
    if shutil.which(PROGRAM) is None:
        pytest.skip("not installed: nginx (Debian's package nginx-light)")
    port = processes.free_port()
    addresses = {"listen 80;": f"listen 127.0.0.1:{port};"}
    addresses |= {f"server-{number}:2026": urlsplit(url).netloc for number, url in enumerate(servers, start=1)}
    deployed = DEPLOYED.read_text()
    for name, address in addresses.items():
        deployed = deployed.replace(name, address)
    with tempfile.TemporaryDirectory(prefix="answergraph-nginx-") as folder:
        config = Path(folder) / "nginx.conf"
        config.write_text(AROUND.format(user=Path(folder).owner(), folder=folder, deployed=deployed))
        program = processes.start([PROGRAM, "-c", str(config)], Path(folder), {}, Path(folder) / "log")
        try:
            program.wait_until(processes.answers(f"http://127.0.0.1:{port}/ready"))
            yield f"http://127.0.0.1:{port}"
        finally:
            program.end()
