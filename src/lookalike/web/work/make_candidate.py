"""One candidate: search, recode, verify, write; then what the pages show of it, and its report."""

from __future__ import annotations

import math
import os
import shlex
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

import pyarrow.parquet as pq

from lookalike import api
from lookalike.events import Event, Observer, Phase, PhaseStarted, Tick, jsonl, several
from lookalike.pipeline import Output, Pipeline, Request
from lookalike.policy.policy_file import load
from lookalike.problem.problem import Problem
from lookalike.problem.recodings.cell_changes import Change
from lookalike.releasing.before_after import before_after
from lookalike.releasing.release import Release
from lookalike.report import figures
from lookalike.report.facts.risk import risk_facts
from lookalike.report.facts.search import search_facts
from lookalike.report.figures import Figure
from lookalike.search.limits import Limits
from lookalike.solution import solution_file
from lookalike.solution.solution import Solution, Status, Stop
from lookalike.tables.open import open_table
from lookalike.web.job import Job
from lookalike.web.private_files import write_json, write_text
from lookalike.web.spreadsheet_formulas import count_formulas

LOOK = 0.1  # seconds between looks at whether to stop


def work(job: Job) -> None:
    policy_file = load(job.folder / "policy.toml")
    settings = policy_file.search
    table = open_table(job.asked["source"])
    request = Request(
        table=table,
        policy=policy_file.policy,
        by=settings.by,
        limits=Limits(settings.seconds, settings.checks, _stopped(job)),
        seed=settings.seed,
        want=Status(settings.want),
        key=job.key,
        ledger=job.ledger,
    )
    path = job.folder / ("release.parquet" if table.kind == "parquet" else "release.csv")
    with (job.folder / "events.jsonl").open("w", encoding="utf-8") as events:
        pipeline = Pipeline(
            request,
            several(_show_phase(job), _seldom(jsonl(events))),
            lambda found: write_text(job.folder / "solution.json", solution_file.dumps(found)),
        )
        release = pipeline.run(Output(path=path, force=True, enter=False))
    problem, solution = pipeline.problem, pipeline.solution
    job.set_state("running", phase="Measuring the release")
    result = _result(problem, release) | {"release": path.name}
    if path.suffix == ".csv":
        result["formulas"] = count_formulas(path)
    beside = before_after(problem, solution)
    if beside is not None:
        gone = beside.column("gone").to_numpy()
        result |= {"tuples": len(gone), "tuples_gone": int(gone.sum())}
        pq.write_table(beside, job.folder / "before_after.parquet")
    job.set_state("running", phase=Phase.REPORTING.heading)
    write_json(job.folder / "figures.json", [_plain(one) for one in _figures(release)])
    result["command"] = command = _command(job, path.name, solution)
    internal, public = (job.folder / f"report-{one}.html" for one in ("internal", "public"))
    release.report(internal, force=True, command=command)
    release.report(public, edition="public", force=True)
    write_json(job.folder / "result.json", result)


def _show_phase(job: Job) -> Observer:
    """The phase, where a page that waits can read it."""

    def show(event: Event) -> None:
        if isinstance(event, PhaseStarted):
            job.set_state("running", phase=event.phase.heading)

    return show


def _seldom(observer: Observer) -> Observer:
    """Signs of life ever farther apart: a page reads all of them each time it is asked."""
    last = [-math.inf]

    def tell(event: Event) -> None:
        if isinstance(event, PhaseStarted):
            return
        if isinstance(event, Tick) and event.seconds - last[0] < max(0.5, event.seconds / 200):
            return
        last[0] = getattr(event, "seconds", 0.0)
        observer(event)

    return tell


def _stopped(job: Job) -> Callable[[], bool]:
    """Has the stop button been pressed? Looked at now and then: a search asks very often."""
    stop, seen = os.fspath(job.folder / "stop"), [0.0, False]

    def stopped() -> bool:
        now = time.monotonic()
        if not seen[1] and now - seen[0] > LOOK:
            seen[:] = now, os.path.exists(stop)  # noqa: PTH110 - the cheapest way to ask
        return bool(seen[1])

    return stopped


def _result(problem: Problem, release: Release) -> dict[str, Any]:
    """What the pages show: numbers and words, all of JSON."""
    solution = release.solution
    after = api.risk(release.released, problem.names)
    changes = api.changes(problem, solution)
    return {
        "rows": solution.rows,
        "suppressed": solution.suppressed,
        "classes": solution.classes,
        "metric": solution.metric,
        "cost": solution.cost,
        "bound": solution.bound if math.isfinite(solution.bound) else None,
        "gap": solution.gap if math.isfinite(solution.gap) else None,
        "status": solution.status,
        "stop": solution.stop,
        "claim": solution.claim(),
        "algorithm": solution.algorithm,
        "why": solution.why,
        "checks": solution.checks,
        "seconds": solution.seconds,
        "kept": _kept(changes, solution.suppressed, solution.rows),
        "risk": {"highest": after.highest, "mean": after.mean, "smallest": after.smallest},
        "certificate": release.certificate.content,
        "nodes": problem.nodes,
        "names": problem.names,
    }


def _command(job: Job, release: str, solution: Solution) -> str:
    """The same on the command line; a stopped search is finished from its solution."""
    table = job.asked["called"]
    reports = "--report report.html --report-public public.html"
    reports += " --key KEY_FILE" if job.key else ""
    reports += " --ledger LEDGER_FOLDER" if job.ledger else ""
    if solution.stop is Stop.INTERRUPTED:
        begin = f"lookalike release {shlex.quote(table)} policy.toml solution.json"
        return f"{begin} -o {release} {reports}"
    begin = f"lookalike run {shlex.quote(table)} policy.toml -o {release}"
    return f"{begin} --solution solution.json {reports}"


def _figures(release: Release) -> Iterator[Figure]:
    """The pictures that a page shows, as in the report."""
    subject = release.subject()
    search = search_facts(subject)
    yield figures.class_sizes(risk_facts(subject))
    if found := api.changes(release.problem, release.solution):
        yield figures.changes(found)
    if search.lattice is not None:
        yield figures.lattice(search.lattice)
    else:
        yield from figures.ladders(search.ladders)
    yield from figures.cuts(search.cuts)
    if len(search.trace) > 1:
        yield figures.trace(search.trace, release.solution.metric)


def _plain(figure: Figure) -> dict[str, Any]:
    found = asdict(figure)
    found["table"]["numbers"] = sorted(found["table"]["numbers"])
    return found


def _kept(found: Sequence[Change], suppressed: int, rows: int) -> float:
    """One measure for every candidate, whatever metric each was searched by: how much of the way
    to ``*`` cells did not go, and a row left out went all of it (Sweeney's Prec, where whole
    columns have a level).
    """
    far = sum(one.mean for one in found) / max(1, len(found))
    return (1 - suppressed / max(1, rows)) * (1 - far)
