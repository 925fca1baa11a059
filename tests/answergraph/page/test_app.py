"""The page's routes: its files, and the headers that keep it to its own server."""

import gzip
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from answergraph.page import PAGE_PATH, app
from answergraph.page.app import FILES, HEADERS

client = TestClient(app)


def test_the_page_lies_below_its_own_path() -> None:
    response = client.get(f"{PAGE_PATH}/")
    assert response.status_code == 200
    assert "<title>answergraph: watch a run</title>" in response.text


def test_without_its_slash_the_page_is_found_too() -> None:
    response = client.get(PAGE_PATH, follow_redirects=False)
    assert (response.status_code, response.headers["location"]) == (307, f"{PAGE_PATH}/")


@pytest.mark.parametrize("path", ["", "main.js", "vendor/mermaid.js", "missing.js"])
def test_each_response_says_that_nothing_comes_from_elsewhere(path: str) -> None:
    headers = client.get(f"{PAGE_PATH}/{path}").headers
    assert {name: headers[name] for name in HEADERS} == HEADERS
    assert "http" not in headers["content-security-policy"]


def test_scripts_have_the_type_a_browser_runs() -> None:
    assert client.get(f"{PAGE_PATH}/main.js").headers["content-type"].startswith("text/javascript")


def test_the_vendored_library_is_sent_as_it_is_stored() -> None:
    response = client.get(f"{PAGE_PATH}/vendor/mermaid.js")
    assert response.headers["content-encoding"] == "gzip"
    assert response.headers["content-type"].startswith("text/javascript")
    assert response.content == gzip.decompress((FILES / "vendor" / "mermaid.js.gz").read_bytes())
    assert "content-encoding" not in client.get(f"{PAGE_PATH}/main.js").headers


@pytest.mark.parametrize("path", ["../app.py", "%2e%2e/app.py", "vendor/../../app.py"])
def test_only_the_page_itself_is_handed_out(path: str) -> None:
    assert client.get(f"{PAGE_PATH}/{path}").status_code == 404


def test_the_vendored_library_comes_with_its_licence() -> None:
    assert "MIT" in (FILES / "vendor" / "mermaid-LICENSE").read_text()


@pytest.mark.parametrize("file", [file for file in sorted(FILES.iterdir()) if file.is_file()], ids=lambda file: file.name)
def test_no_file_of_the_page_is_longer_than_a_module_may_be(file: Path) -> None:
    assert len(file.read_text().splitlines()) <= 300
