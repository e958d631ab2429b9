"""A gate as JUnit's XML, which every server of continuous integration shows."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, indent, tostring

from phverify.report.gate import Gate, GateCase

DECLARED = '<?xml version="1.0" encoding="UTF-8"?>\n'
SAYING = {"failed": "failure", "open": "error"}
"""An open case is no leak, and no promise that is kept: it is an error."""


def to_junit(gate: Gate) -> str:
    """The cases as one test suite.

    What failed is a failure and what is open an error, so that nothing but PROVED
    passes.
    """
    suites = Element("testsuites")
    seconds = sum(case.seconds for case in gate.cases)
    given = {
        "name": f"phverify {gate.verb} {gate.subject}",
        "tests": str(len(gate.cases)),
        "failures": str(gate.count("failed")),
        "errors": str(gate.count("open")),
        "skipped": "0",
        "time": f"{seconds:.3f}",
    }
    suite = SubElement(suites, "testsuite", given)
    for case in gate.cases:
        _add(suite, gate, case)
    indent(suites)
    return DECLARED + tostring(suites, encoding="unicode") + "\n"


def _add(suite: Element, gate: Gate, case: GateCase) -> None:
    """One test case."""
    given = {
        "classname": f"phverify.{gate.verb}",
        "name": case.name,
        "time": f"{case.seconds:.3f}",
    }
    test = SubElement(suite, "testcase", given)
    if case.status in SAYING:
        said = {"message": case.message, "type": case.kind}
        SubElement(test, SAYING[case.status], said)
