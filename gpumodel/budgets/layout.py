"""Verdicts as text, JUnit XML, and annotations of GitHub's actions."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from gpumodel.budgets.judge import Verdict
from gpumodel.report.stats.document import printable

__all__ = ["annotation_lines", "junit_of", "text_of"]


def text_of(verdicts: Sequence[Verdict]) -> str:
    """A line for each limit that is not kept, and their number."""
    failed = [verdict for verdict in verdicts if verdict.failure]
    several = len({verdict.run for verdict in verdicts}) > 1
    lines = [
        f"over  {printable(value.failure)}" + (f" [{printable(value.run)}]" if several else "") for value in failed
    ]
    kept = len(verdicts) - len(failed)
    return "\n".join([*lines, f"{kept} of {len(verdicts)} limits are kept"]) + "\n"


def junit_of(verdicts: Sequence[Verdict], name: str) -> str:
    """JUnit XML, as continuous integration reads it: a case a limit, a class a GPU."""
    failed = sum(bool(verdict.failure) for verdict in verdicts)
    root = ElementTree.Element("testsuites")
    suite = ElementTree.SubElement(
        root, "testsuite", name=f"gpureplay check {printable(name)}", tests=str(len(verdicts)), failures=str(failed),
        errors="0", skipped="0",
    )  # fmt: skip
    for verdict in verdicts:
        case = ElementTree.SubElement(suite, "testcase", name=printable(verdict.name), classname=printable(verdict.run))
        if verdict.failure:
            ElementTree.SubElement(case, "failure", message=printable(verdict.failure), type="budget")
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def annotation_lines(verdicts: Sequence[Verdict], path: str | None) -> str:
    """Workflow commands that make GitHub show each failure, at its line of the file of budgets."""
    lines = []
    for verdict in verdicts:
        if verdict.failure:
            where = f"file={_property(path)},line={verdict.line}," if path and verdict.line else ""
            lines.append(f"::error {where}title={_property(f'over budget: {verdict.name}')}::{_data(verdict.failure)}")
    return "".join(f"{line}\n" for line in lines)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
