"""Candidates: watched while they are searched for, compared, looked into."""

from __future__ import annotations

import math
import time
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from lookalike.web import charts as pictures
from lookalike.web.job import Job
from lookalike.web.open_tables import rows_of
from lookalike.web.page_frame import InProject, TheQueue, TheRun, drawn, page, refresh, to
from lookalike.web.private_files import read_json
from lookalike.web.project import Project
from lookalike.web.queue import Queue

router = APIRouter()
ROWS = 40  # of the comparison before and after, a page


@router.get("/projects/{id}/runs")
def runs(request: Request, project: InProject, queue: TheQueue) -> HTMLResponse:
    listed = _listed(project, queue)
    points = [one for one in listed if one["result"]]
    chart = drawn(pictures.risk_and_detail(_points(project, points))) if points else None
    return page(
        request, "runs.html", project=project, step="runs", runs=listed, chart=chart,
        going=any(one["state"] in ("queued", "running") for one in listed),
    )  # fmt: skip


@router.get("/projects/{id}/runs-list")
def runs_list(request: Request, project: InProject, queue: TheQueue, over: int = 0) -> HTMLResponse:
    """Polled while something is going on; when another candidate is there, the picture changes."""
    listed = _listed(project, queue)
    if sum(one["over"] for one in listed) != over:
        return refresh()
    return page(request, "_runs.html", project=project, runs=listed, going=True)


def _listed(project: Project, queue: Queue) -> list[dict[str, Any]]:
    found = []
    for job in project.jobs("run"):
        told = job.told
        found.append(
            {
                "name": job.name, "number": job.number, "label": job.asked["label"],
                "state": told["state"], "phase": told.get("phase", ""), "over": job.over,
                "result": job.result if told["state"] == "done" else {},
                "now": _now(job.events(), told) if told["state"] == "running" else {},
                "faults": told.get("faults", []),
                "ahead": queue.ahead(job) if told["state"] == "queued" else 0,
            }
        )  # fmt: skip
    return found


def _points(project: Project, runs: list[dict[str, Any]]) -> list[pictures.Point]:
    return [
        pictures.Point(
            one["number"], one["label"], one["result"]["risk"]["highest"], one["result"]["kept"],
            one["result"]["suppressed"] / max(1, one["result"]["rows"]),
            f"/projects/{project.id}/runs/{one['name']}",
        )
        for one in runs
    ]  # fmt: skip


def _now(events: list[dict[str, Any]], told: dict[str, Any]) -> dict[str, Any]:
    """How a search stands: the last it said of cost and bound."""
    said = [one for one in events if "bound" in one]
    if not said:
        return {}
    last = said[-1]
    cost, bound = last["cost"], last["bound"]
    known = cost is not None and math.isfinite(bound)
    searching = told.get("phase") == "Searching"
    seconds = time.time() - told["since"] if searching else last["seconds"]
    gap = max(0.0, (cost - bound) / abs(cost)) if known and cost else (0.0 if known else None)
    return {"cost": cost, "bound": bound if math.isfinite(bound) else None, "gap": gap,
            "seconds": seconds, "checks": last["checks"]}  # fmt: skip


@router.get("/projects/{id}/runs/{name}")
def run(
    request: Request, project: InProject, job: TheRun, queue: TheQueue, at: int = 1
) -> HTMLResponse:
    told = job.told
    if told["state"] != "done":
        return page(
            request, "running.html", project=project, step="runs", job=job, told=told,
            **_progress(job, queue),
        )  # fmt: skip
    verified = next(
        (one for one in reversed(project.jobs("verify")) if one.asked["run"] == str(job.folder)),
        None,
    )
    result = job.result
    return page(
        request, "run.html", project=project, step="runs", job=job, result=result,
        beside=_beside(job, result, max(1, at)), at=max(1, at),
        verified=verified, checked=verified.told if verified else None,
        figures=_figures(job),
    )  # fmt: skip


@router.get("/projects/{id}/runs/{name}/progress")
def progress(
    request: Request, project: InProject, job: TheRun, queue: TheQueue, was: str = ""
) -> HTMLResponse:
    """Polled while it runs."""
    if job.over or (was == "queued") != (job.state == "queued"):
        return refresh()
    return page(
        request, "_progress.html", project=project, job=job, told=job.told, **_progress(job, queue)
    )


def _progress(job: Job, queue: Queue) -> dict[str, Any]:
    events = job.events()
    chart = drawn(pictures.trace(events, job.asked.get("metric", "the metric")))
    ahead = queue.ahead(job) if job.state == "queued" else 0
    return {"now": _now(events, job.told), "chart": chart, "ahead": ahead}


@router.post("/projects/{id}/runs/{name}/stop")
def stop(project: InProject, job: TheRun) -> RedirectResponse:
    """The search ends, and what it found so far is released."""
    if job.state == "running":
        job.stop()
    return to(f"/projects/{project.id}/runs/{job.name}")


@router.post("/projects/{id}/runs/{name}/cancel")
def cancel(project: InProject, job: TheRun, queue: TheQueue) -> RedirectResponse:
    """Nothing is kept of it."""
    queue.cancel(job)
    return to(f"/projects/{project.id}/runs")


@router.post("/projects/{id}/runs/{name}/again")
def again(project: InProject, job: TheRun, queue: TheQueue) -> RedirectResponse:
    """As it was asked for."""
    if job.over and job.state != "done":
        (job.folder / "stop").unlink(missing_ok=True)
        job.clear()
        queue.add(job)
    return to(f"/projects/{project.id}/runs/{job.name}")


@router.post("/projects/{id}/runs/{name}/verify")
def verify(project: InProject, job: TheRun, queue: TheQueue) -> RedirectResponse:
    if job.state == "done":
        queue.add(project.new_job("verify", {"run": str(job.folder)}))
    return to(f"/projects/{project.id}/runs/{job.name}#checked")


@router.get("/projects/{id}/runs/{name}/verifying")
def verifying(request: Request, project: InProject, job: TheRun) -> HTMLResponse:
    """Polled while the release is verified again."""
    found = project.latest("verify")
    if found is None or found.over:
        return refresh()
    return page(request, "_verifying.html", project=project, job=job)


def _figures(job: Job) -> list[dict[str, Any]]:
    """Drawn when the release was made, by code that escapes what it draws."""
    found = read_json(job.folder / "figures.json") or []
    return [one | {"svg": drawn(one["svg"])} for one in found]


def _beside(job: Job, result: dict[str, Any], at: int) -> dict[str, Any] | None:
    """Original tuples and what became of them, a page of them; cells that changed are marked."""
    path = job.folder / "before_after.parquet"
    if not path.exists():
        return None
    names = result["names"]
    rows = []
    for one in rows_of(str(path), (at - 1) * ROWS, ROWS).to_pylist():
        cells = [
            {"before": one[f"b{a}"], "after": one[f"a{a}"], "same": one[f"b{a}"] == one[f"a{a}"]}
            for a in range(len(names))
        ]
        gone = one["gone"] == "true"
        rows.append({"cells": cells, "rows": int(one["rows"]), "alike": int(one["alike"]),
                     "gone": gone})  # fmt: skip
    kept = result["tuples"] - result["tuples_gone"]
    pages = max(1, -(-result["tuples"] // ROWS))
    return {"names": names, "rows": rows, "pages": pages,
            "gone": kept // ROWS + 1 if result["tuples_gone"] else None}  # fmt: skip
