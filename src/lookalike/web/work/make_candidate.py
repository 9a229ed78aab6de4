"""Make a candidate: run the pipeline, measure the release and write its reports."""

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
from lookalike.events import Event, Observer, Phase, PhaseStarted, Tick, broadcast, jsonl
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
from lookalike.web.project.job import Job
from lookalike.web.project.private_files import write_json, write_text
from lookalike.web.project.spreadsheet_formulas import count_formulas

STOP_CHECK_SECONDS = 0.1  # how often to check whether the stop button was pressed


def work(job: Job) -> None:
    policy_file = load(job.folder / "policy.toml")
    settings = policy_file.search
    table = open_table(job.request["source"])
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
            broadcast(_show_phase(job), _thinned(jsonl(events))),
            lambda found: write_text(job.folder / "solution.json", solution_file.dumps(found)),
        )
        release = pipeline.run(Output(path=path, force=True, enter=False))
    problem, solution = pipeline.problem, release.solution
    job.set_state("running", phase="Measuring the release")
    result = _result(problem, release) | {"release": path.name}
    if path.suffix == ".csv":
        result["formulas"] = count_formulas(path)
    comparison = before_after(problem, solution)
    if comparison is not None:
        gone = comparison.column("gone").to_numpy()
        result |= {"tuples": len(gone), "tuples_gone": int(gone.sum())}
        pq.write_table(comparison, job.folder / "before_after.parquet")
    job.set_state("running", phase=Phase.REPORTING.heading)
    write_json(job.folder / "figures.json", [_figure_json(figure) for figure in _figures(release)])
    result["command"] = command = _command(job, path.name, solution)
    internal, public = (job.folder / f"report-{one}.html" for one in ("internal", "public"))
    release.report(internal, force=True, command=command)
    release.report(public, edition="public", force=True)
    write_json(job.folder / "result.json", result)


def _show_phase(job: Job) -> Observer:
    """Record the phase, for the page that waits."""

    def show(event: Event) -> None:
        if isinstance(event, PhaseStarted):
            job.set_state("running", phase=event.phase.heading)

    return show


def _thinned(observer: Observer) -> Observer:
    """Pass on fewer and fewer ticks, because a page reads all events whenever it is updated."""
    last = [-math.inf]

    def observe(event: Event) -> None:
        if isinstance(event, PhaseStarted):
            return
        if isinstance(event, Tick) and event.seconds - last[0] < max(0.5, event.seconds / 200):
            return
        last[0] = getattr(event, "seconds", 0.0)
        observer(event)

    return observe


def _stopped(job: Job) -> Callable[[], bool]:
    """Has the stop button been pressed? The file is checked now and then, as searches ask often."""
    stop, seen = os.fspath(job.folder / "stop"), [0.0, False]

    def stopped() -> bool:
        now = time.monotonic()
        if not seen[1] and now - seen[0] > STOP_CHECK_SECONDS:
            seen[:] = now, os.path.exists(stop)  # noqa: PTH110 - the fastest check
        return bool(seen[1])

    return stopped


def _result(problem: Problem, release: Release) -> dict[str, Any]:
    """What the pages show, as JSON."""
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
        "kept": _detail_kept(changes, solution.suppressed, solution.rows),
        "risk": {"highest": after.highest, "mean": after.mean, "smallest": after.smallest},
        "certificate": release.certificate.content,
        "nodes": problem.nodes,
        "names": problem.names,
    }


def _command(job: Job, release: str, solution: Solution) -> str:
    """The same on the command line; a stopped search is finished from its solution."""
    table = job.request["called"]
    reports = "--report report.html --report-public public.html"
    reports += " --key KEY_FILE" if job.key else ""
    reports += " --ledger LEDGER_FOLDER" if job.ledger else ""
    if solution.stop is Stop.INTERRUPTED:
        begin = f"lookalike release {shlex.quote(table)} policy.toml solution.json"
        return f"{begin} -o {release} {reports}"
    begin = f"lookalike run {shlex.quote(table)} policy.toml -o {release}"
    return f"{begin} --solution solution.json {reports}"


def _figures(release: Release) -> Iterator[Figure]:
    """The figures of the candidate's page, as in the report."""
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


def _figure_json(figure: Figure) -> dict[str, Any]:
    content = asdict(figure)
    content["table"]["numbers"] = sorted(content["table"]["numbers"])
    return content


def _detail_kept(changes: Sequence[Change], suppressed: int, rows: int) -> float:
    """One measure for all candidates, whatever their metric: 0 for all stars, 1 for the original.

    A suppressed row counts as all stars. For a full-domain recoding this is Sweeney's Prec.
    """
    lost = sum(change.mean for change in changes) / max(1, len(changes))
    return (1 - suppressed / max(1, rows)) * (1 - lost)
