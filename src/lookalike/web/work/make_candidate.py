"""Make a candidate: run the pipeline, measure the release and write its reports."""

from __future__ import annotations

import math
import os
import shlex
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import pyarrow.parquet as pq

import lookalike as la
from lookalike import api
from lookalike.errors import FaultCollector
from lookalike.events import (
    Compiling,
    Event,
    Observer,
    Phase,
    PhaseStarted,
    Started,
    Tick,
    broadcast,
    jsonl,
)
from lookalike.pipeline import Pipeline, Request
from lookalike.report.figures import Figure
from lookalike.web.project.database_addresses import open_source
from lookalike.web.project.job import Job
from lookalike.web.project.private_files import write_json, write_text
from lookalike.web.project.spreadsheet_formulas import count_formulas
from lookalike.web.work.termination import TERMINATION

STOP_CHECK_SECONDS = 0.1  # how often to check whether the stop button was pressed


def work(job: Job) -> None:
    source, faults = job.request["source"], FaultCollector()
    with faults.check():
        policy_file = api.load_policy_file(job.folder / "policy.toml")
    with faults.check():
        table = open_source(source)
    if faults.errors:  # else the pipeline checks the key with the rest
        with faults.check():
            api.read_key(job.key)
    faults.raise_faults()
    settings = policy_file.search
    request = Request(
        table=table,
        policy=policy_file.policy,
        by=settings.by,
        limits=la.Limits(settings.seconds, settings.checks, _stopped(job)),
        seed=settings.seed,
        want=la.Status(settings.want),
        key=job.key,
        ledger=job.ledger,
    )
    is_parquet = source.lower().endswith(".parquet")
    path = job.folder / ("release.parquet" if is_parquet else "release.csv")
    with (job.folder / "events.jsonl").open("w", encoding="utf-8") as events:
        pipeline = Pipeline(
            request,
            broadcast(_show_phase(job), _thinned(jsonl(events))),
            lambda found: _save_solution(job, found),
        )
        release = pipeline.run(path, force=True, enter=False)
    job.set_state("running", phase="Measuring the release")
    subject = release.subject()
    result = _result(release) | {"release": path.name}
    result["legal"] = [asdict(question) for question in subject.legal_view()]
    result["attacks"] = [
        {"attack": found.attack, "assumed": found.assumed, "sentences": found.sentences}
        for found in subject.attacks
    ]
    if path.suffix == ".csv":
        result["formulas"] = count_formulas(path)
    comparison = subject.before_and_after()
    if comparison is not None:
        suppressed = comparison.column("suppressed").to_numpy()
        result |= {"tuples": len(suppressed), "tuples_suppressed": int(suppressed.sum())}
        pq.write_table(comparison, job.folder / "before_after.parquet")
    job.set_state("running", phase=Phase.REPORTING.heading)
    write_json(job.folder / "figures.json", [_figure_json(figure) for figure in subject.figures()])
    result["command"] = command = _command(job, path.name, release.solution)
    release.report(job.folder / "report-internal.html", force=True, command=command)
    release.report(job.folder / "report-public.html", edition="public", force=True)
    write_json(job.folder / "result.json", result)


def _save_solution(job: Job, solution: la.Solution) -> None:
    """Save the solution; a process that was asked to end releases nothing."""
    write_text(job.folder / "solution.json", api.solution_text(solution))
    TERMINATION.check()


def _show_phase(job: Job) -> Observer:
    """Record the phase, for the page that waits."""

    def show(event: Event) -> None:
        if isinstance(event, PhaseStarted):
            TERMINATION.searching = event.phase is Phase.SEARCHING
            if not TERMINATION.searching:
                TERMINATION.check()
            job.set_state("running", phase=event.phase.heading)
        elif isinstance(event, Compiling):  # no search yet: a signal ends the job
            TERMINATION.searching = False
            TERMINATION.check()
            job.set_state("running", phase=event.heading)
        elif isinstance(event, Started):
            TERMINATION.searching = True
            job.set_state("running", phase=Phase.SEARCHING.heading)

    return show


def _thinned(observer: Observer) -> Observer:
    """Pass on fewer and fewer ticks, because a page reads all events whenever it is updated."""
    last = [-math.inf]

    def observe(event: Event) -> None:
        if isinstance(event, PhaseStarted | Compiling):
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
        return bool(seen[1]) or TERMINATION.asked

    return stopped


def _result(release: la.Release) -> dict[str, Any]:
    """What the pages show, as JSON."""
    problem, solution = release.problem, release.solution
    after = la.risk(release.released, problem.names)
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
        "kept": _detail_kept(release),
        "risk": {"highest": after.highest, "mean": after.mean, "smallest": after.smallest},
        "certificate": release.certificate.content,
        "revealed": release.screening.sentences if release.screening else (),
        "accepted": api.accepted_sentences(release.certificate.content),
        "nodes": problem.nodes,
        "names": problem.names,
    }


def _command(job: Job, release: str, solution: la.Solution) -> str:
    """The same on the command line; a stopped search is finished from its solution."""
    table = job.request["called"]
    reports = "--report report.html --report-public public.html"
    reports += " --key KEY_FILE" if job.key else ""
    reports += " --ledger LEDGER_FOLDER" if job.ledger else ""
    if solution.stop is la.Stop.INTERRUPTED:
        begin = f"lookalike release {shlex.quote(table)} policy.toml solution.json"
        return f"{begin} -o {release} {reports}"
    begin = f"lookalike run {shlex.quote(table)} policy.toml -o {release}"
    return f"{begin} --solution solution.json {reports}"


def _figure_json(figure: Figure) -> dict[str, Any]:
    content = asdict(figure)
    content["table"]["numbers"] = sorted(content["table"]["numbers"])
    return content


def _detail_kept(release: la.Release) -> float:
    """One measure for all candidates, whatever their metric: 0 for all stars, 1 for the original.

    A suppressed row counts as all stars. For a full-domain recoding this is Sweeney's Prec.
    """
    solution = release.solution
    changes = la.changes(release.problem, solution)
    lost = sum(change.mean for change in changes) / max(1, len(changes))
    return (1 - solution.suppressed / max(1, solution.rows)) * (1 - lost)
