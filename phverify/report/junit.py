"""A gate as JUnit's XML, which every server of continuous integration shows."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, indent, tostring

from phverify.report.gate import Gate, GateCase, visible

DECLARED = '<?xml version="1.0" encoding="UTF-8"?>\n'
SUITE = "phverify"
"""With this the name of each suite begins."""
SAYING = {"failed": "failure", "open": "error"}
"""An open case is no leak, and no promise that is kept: it is an error."""


def to_junit(gate: Gate) -> str:
    """The cases as one test suite, and warnings as what it printed.

    What failed is a failure and what is open an error, so that nothing but PROVED
    passes; a run without an answer is an error.
    """
    suites = Element("testsuites")
    seconds = sum(case.seconds for case in gate.cases)
    failed, still_open = gate.count("failed"), gate.count("open")
    if gate.failed:
        failed, still_open = 0, failed
    given = {
        "name": visible(f"{SUITE} {gate.verb} {gate.subject}"),
        "tests": str(len(gate.cases)),
        "failures": str(failed),
        "errors": str(still_open),
        "skipped": "0",
        "time": f"{seconds:.3f}",
    }
    suite = SubElement(suites, "testsuite", given)
    for case in gate.cases:
        _add(suite, gate, case)
    if gate.warnings:
        said = SubElement(suite, "system-out")
        said.text = "\n".join(f"warning: {one}" for one in gate.warnings)
    indent(suites)
    return DECLARED + tostring(suites, encoding="unicode") + "\n"


def _add(suite: Element, gate: Gate, case: GateCase) -> None:
    """One test case."""
    given = {
        "classname": f"{SUITE}.{gate.verb}",
        "name": visible(case.name),
        "time": f"{case.seconds:.3f}",
    }
    test = SubElement(suite, "testcase", given)
    if case.status in SAYING:
        said = {"message": visible(case.message), "type": case.kind}
        word = "error" if gate.failed else SAYING[case.status]
        SubElement(test, word, said)
