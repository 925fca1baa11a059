"""The rule about missing code: does the application or the test lack it?"""

import re
import sys

from answergraph.graphs.add_ons.triage.offline import triage_signs as signs
from answergraph.graphs.add_ons.triage.offline.disagreement_rules import disagreement
from answergraph.graphs.add_ons.triage.offline.stack_frames import INSTALLED
from answergraph.graphs.add_ons.triage.offline.triage_case_text import MIN_SHARED_PACKAGES, CaseText, Conclusion, cut

_LACKS_NAME = re.compile(
    r"cannot import name .+? from (?:partially initialized module )?'(?P<module>[\w.]+)'(?: \((?P<path>[^)]+)\))?"
)
_NO_MODULE = re.compile(r"No module named '?(?P<module>[\w.]+)")
_NO_SCRIPT = re.compile(
    r"(?:Cannot find (?:module|package)|Can't resolve) '(?P<module>[^']+)'|cannot load such file -- (?P<gem>\S+)"
    r"|provides package (?P<go>[^\s;]+)"
)
_NO_CLASS = re.compile(r"(?:ClassNotFoundException|NoClassDefFoundError): (?P<module>[\w./$]+)")
_NO_PHP_CLASS = re.compile(r"""Class ["'](?P<top>[A-Za-z0-9]+)[\w\\]*["'] not found""")
_REPLACED = re.compile(r"mock\.py:\d+: in (?:decoration_helper|__enter__|_importer)\b")
"""A mock looked for the name that it replaces."""


def missing_code(case: CaseText) -> Conclusion | None:
    """Judge a failure not real if only the test lacks code; what it asks of the application in vain, they disagree about."""
    if case.is_assertion or signs.RAISES.search(case.details):
        return None
    line = next((line for line in case.message_lines if signs.IMPORT.search(line)), None)
    belongs_to_application = None if line is None else _is_of_application(line, case)
    if line is None or belongs_to_application is None:
        return None
    if belongs_to_application:
        return disagreement(case, cut(line))
    explanation = "A package is not installed here, or a module of the tests is missing; what the test is about was never run."
    return Conclusion(True, 0.75, "tool_bug", explanation, (cut(line),), "Install the missing package, or mend the import.")


def missing_module(case: CaseText) -> str | None:
    """Return the Python package that is missing or lacks a name, or ``None``."""
    text = "\n".join(case.error_lines)
    match = _LACKS_NAME.search(text) or _NO_MODULE.search(text)
    return match["module"].split(".")[0] if match else None


def _is_of_application(line: str, case: CaseText) -> bool | None:
    """Return whether the missing code is the application's; ``None`` if unknown."""
    if lacks := _LACKS_NAME.search(line):
        return _owner_of_name(lacks["module"], lacks["path"] or "", case)
    if module := _NO_MODULE.search(line):
        return _owner_of_module(module["module"], case)
    if script := _NO_SCRIPT.search(line):
        return _owner_of_script(script["module"] or script["gem"] or script["go"])
    if of_class := _NO_CLASS.search(line):
        ours, theirs = case.test.split("::")[0].split("."), re.split(r"[./]", of_class["module"])
        return sum(1 for one, other in zip(ours, theirs, strict=False) if one == other) >= MIN_SHARED_PACKAGES
    of_php = _NO_PHP_CLASS.search(line)
    if of_php and signs.THIRD_PARTY.search(of_php["top"]):
        return False
    return {"App": True, "Tests": False}.get(of_php["top"]) if of_php else None


def _owner_of_name(module: str, path: str, case: CaseText) -> bool | None:
    if module.split(".", maxsplit=1)[0] in sys.stdlib_module_names:
        return False
    if _of_tests(module) or _of_tests(path.rsplit("/", 1)[-1].removesuffix(".py")):
        return False
    if any(frame.is_test and frame.path.split("/")[-2:-1] == path.split("/")[-2:-1] != [] for frame in case.frames):
        return None  # the package around the test: another of that name may have been meant
    return True if (path and not INSTALLED.search(path)) or _is_named_by(module, case) else None


def _owner_of_script(name: str) -> bool | None:
    if _of_tests(name.replace("/", ".")):
        return False
    if re.match(r"\.\./|/|@/|~/|src/", name):
        return True
    return None if name.startswith(".") else False


def _owner_of_module(module: str, case: CaseText) -> bool | None:
    if _of_tests(module) or (case.broke_in != "application" and _REPLACED.search(case.details)):
        return False
    if case.test.startswith(f"{module}."):
        return None  # the tests lie in that package: it is there, and cannot be imported from here
    is_of_another = signs.THIRD_PARTY.search(module.split(".", maxsplit=1)[0]) and not case.code_lines
    if is_of_another:
        return None if case.broke_in == "application" else False
    # Python names the whole path only if the package around the missing module was found.
    if _is_named_by(module, case) or "." in module:
        return True if _is_named_by(module, case) else None
    # What the application imports may be missing on this machine only, or it may have forgotten to declare it.
    return None if case.broke_in == "application" else False


def _is_named_by(module: str, case: CaseText) -> bool:
    """Return whether the test has the module's name, or the trace contains its package."""
    top = module.split(".", maxsplit=1)[0]
    words = re.split(r"[^A-Za-z0-9]+", case.test.rsplit("::", 1)[0])
    named = {"_".join(words[start:end]) for start in range(len(words)) for end in range(start + 1, len(words) + 1)}
    own = {part for frame in case.frames if not frame.is_library and not frame.is_test for part in frame.path.split("/")}
    lies_there = any(not INSTALLED.search(line) for line in case.code_lines)
    return top in named or top in own or f"{top}.py" in own or lies_there


def _of_tests(module: str) -> bool:
    return bool(re.search(r"(?:^|[._])(?:tests?|conftest|helpers?|fixtures?|support|mocks|testing|testutils?)(?:[._]|$)", module))
