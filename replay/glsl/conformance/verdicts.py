"""Judging many cases, in this process or in several."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from replay.glsl.conformance.judge import Verdict, judge
from replay.glsl.conformance.pipeline import Executor, LlvmExecutor, NumpyExecutor
from traceformat.workers import worker_processes

__all__ = ["EXECUTORS", "verdicts"]

EXECUTORS: Final[dict[str, Callable[[], Executor]]] = {"numpy": NumpyExecutor, "llvm": LlvmExecutor}
_CASES_OF_A_JOB: Final = 50


def verdicts(cases: list[dict[str, Any]], executor: str, jobs: int) -> Iterator[Verdict]:
    """Verdicts of cases, in their order.

    Parameters
    ----------
    executor : key of :data:`EXECUTORS`
    jobs : processes; with one, this one
    """
    shares = [cases[k : k + _CASES_OF_A_JOB] for k in range(0, len(cases), _CASES_OF_A_JOB)]
    if jobs <= 1:
        for share in shares:
            yield from _judge(executor, share)
        return
    with worker_processes(jobs) as pool:
        for found in pool.map(_judge, [executor] * len(shares), shares):
            yield from found


def _judge(executor: str, cases: list[dict[str, Any]]) -> list[Verdict]:
    runner = EXECUTORS[executor]()
    return [judge(case, runner) for case in cases]
