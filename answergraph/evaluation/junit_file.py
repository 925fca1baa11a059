"""Writes the cases of an evaluation as JUnit XML, which build servers show."""

from pathlib import Path
from xml.etree.ElementTree import Element, ElementTree, SubElement, indent

from answergraph.evaluation.evaluation_report import EvalReport


def write_junit(report: EvalReport, path: Path) -> None:
    """Write a test per case, which fails if a field of one of its runs is not right."""
    suite = Element("testsuite", name="answergraph eval")
    failures = 0
    for name in dict.fromkeys(run["case"] for run in report.runs):
        runs = [run for run in report.runs if run["case"] == name]
        seconds = sum(run["usage"].get("seconds") or 0.0 for run in runs)
        test = SubElement(suite, "testcase", classname="eval", name=name, time=f"{seconds:.3f}")
        problems = [
            f"run {number}, {run['status']}: {result['field'] or 'the answer'}: {result['problem']}"
            for number, run in enumerate(runs, start=1)
            for result in run["fields"]
            if result["problem"]
        ]
        if problems:
            failures += 1
            # XML has no control characters.
            lines = ["".join(each for each in problem if each.isprintable()) for problem in problems]
            SubElement(test, "failure", message=lines[0]).text = "\n".join(lines)
    suite.attrib |= {"tests": str(len(suite)), "failures": str(failures)}
    indent(suite)
    ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)
