"""``langgraph dockerfile`` over the repository: the content of an image."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.served.questions import SHIPPED
from tests.suite.langgraph_dev import OFFLINE, REPOSITORY, shipped

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
def dockerfile(tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("image") / "Dockerfile"
    command = [sys.executable, "-m", "langgraph_cli", "dockerfile", str(path), "--config", str(REPOSITORY / "langgraph.json")]
    subprocess.run(command, check=True, capture_output=True, cwd=REPOSITORY, env={**OFFLINE, "PATH": ""}, timeout=60)
    return path.read_text()


def test_every_graph_is_served_from_where_the_project_is_installed(dockerfile: str) -> None:
    (served,) = re.findall(r"^ENV LANGSERVE_GRAPHS='(.*)'$", dockerfile, re.M)
    (added,) = re.findall(r"^ADD \. (/deps/\S+)$", dockerfile, re.M)
    (folder,) = re.findall(r"^WORKDIR (\S+)$", dockerfile, re.M)
    assert folder == added
    graphs = json.loads(served)
    assert sorted(graphs) == SHIPPED
    for name, graph in graphs.items():
        path, factory = graph["path"].removeprefix(f"{folder}/").split(":")
        assert (REPOSITORY / path).is_file(), name
        assert re.search(rf"^def {factory}\(", (REPOSITORY / path).read_text(), re.M), name
        assert graph["description"] == shipped()["graphs"][name]["description"]


def test_the_project_itself_is_installed_and_nothing_takes_its_place(dockerfile: str) -> None:
    assert re.search(r"pip install .*-e \.", dockerfile)
    assert "outer-" not in dockerfile, "a project without a pyproject would get a faux one, without its dependencies"
