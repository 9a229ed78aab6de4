"""The pages of the candidates: progress of the search, comparison, and one candidate in detail."""

from __future__ import annotations

import math
import time
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse
from markupsafe import Markup

from lookalike.events import Phase
from lookalike.web.pages import candidate_charts as charts
from lookalike.web.pages.page_frame import (
    CandidateOfPage,
    ProjectOfPage,
    QueueOfPage,
    page,
    redirect,
    refresh,
)
from lookalike.web.project.job import Job
from lookalike.web.project.open_tables import read_rows
from lookalike.web.project.private_files import read_json
from lookalike.web.project.project import Project
from lookalike.web.queue import Queue

router = APIRouter()
PAGE_ROWS = 40  # of the comparison before and after


@router.get("/projects/{id}/runs")
def overview(request: Request, project: ProjectOfPage, queue: QueueOfPage) -> HTMLResponse:
    candidates = _candidates(project, queue)
    points = tuple(
        charts.Point(
            row["number"], row["label"], row["result"]["risk"]["highest"], row["result"]["kept"],
            row["result"]["suppressed"] / max(1, row["result"]["rows"]),
            f"/projects/{project.id}/runs/{row['name']}",
        )
        for row in candidates if row["result"]
    )  # fmt: skip
    return page(
        request, "candidates.html", project=project, step="runs", candidates=candidates,
        chart=Markup(charts.risk_and_detail(points)) if points else None,
        busy=not all(row["over"] for row in candidates),
    )  # fmt: skip


@router.get("/projects/{id}/runs-list")
def candidate_list(
    request: Request, project: ProjectOfPage, queue: QueueOfPage, over: int = 0
) -> HTMLResponse:
    """Polled while a candidate is queued or running; reloads the page when one has ended."""
    candidates = _candidates(project, queue)
    if sum(row["over"] for row in candidates) != over:
        return refresh()
    return page(request, "_candidates.html", project=project, candidates=candidates, busy=True)


def _candidates(project: Project, queue: Queue) -> list[dict[str, Any]]:
    candidates = []
    for job in project.jobs("run"):
        progress = job.progress
        state = progress["state"]
        candidates.append(
            {
                "name": job.name, "number": job.number, "label": job.request["label"],
                "state": state, "phase": progress.get("phase", ""), "over": job.over,
                "result": job.result if state == "done" else {},
                "now": _search_state(job.events(), progress) if state == "running" else {},
                "faults": progress.get("faults", []),
                "ahead": queue.ahead(job) if state == "queued" else 0,
            }
        )  # fmt: skip
    return candidates


def _search_state(events: list[dict[str, Any]], progress: dict[str, Any]) -> dict[str, Any]:
    """Cost, lower bound and gap, from the latest event that has them."""
    last = next((event for event in reversed(events) if "bound" in event), None)
    if last is None:
        return {}
    cost, bound = last["cost"], last["bound"]
    known = cost is not None and math.isfinite(bound)
    searching = progress.get("phase") == Phase.SEARCHING.heading
    seconds = time.time() - progress["since"] if searching else last["seconds"]
    gap = max(0.0, (cost - bound) / abs(cost)) if known and cost else (0.0 if known else None)
    return {"cost": cost, "bound": bound if math.isfinite(bound) else None, "gap": gap,
            "seconds": seconds, "checks": last["checks"]}  # fmt: skip


@router.get("/projects/{id}/runs/{name}")
def show(
    request: Request, project: ProjectOfPage, job: CandidateOfPage, queue: QueueOfPage, at: int = 1
) -> HTMLResponse:
    if job.state != "done":
        return page(
            request, "running.html", project=project, step="runs", job=job, **_progress(job, queue)
        )
    checks = [one for one in project.jobs("verify") if one.request["run"] == str(job.folder)]
    result, at = job.result, max(1, at)
    figures = read_json(job.folder / "figures.json") or []  # drawn by code that escapes its texts
    return page(
        request, "candidate.html", project=project, step="runs", job=job, result=result,
        comparison=_before_and_after(job, result, at), at=at,
        verification=checks[-1] if checks else None,
        figures=[figure | {"svg": Markup(figure["svg"])} for figure in figures],
    )  # fmt: skip


@router.get("/projects/{id}/runs/{name}/progress")
def progress(
    request: Request, project: ProjectOfPage, job: CandidateOfPage, queue: QueueOfPage,
    was: str = "",
) -> HTMLResponse:  # fmt: skip
    """Polled while it is queued or running."""
    if job.over or (was == "queued") != (job.state == "queued"):
        return refresh()
    return page(request, "_progress.html", project=project, job=job, **_progress(job, queue))


def _progress(job: Job, queue: Queue) -> dict[str, Any]:
    events, progress = job.events(), job.progress
    chart = Markup(charts.trace(events, job.request.get("metric", "the metric")))
    ahead = queue.ahead(job) if progress["state"] == "queued" else 0
    now = _search_state(events, progress)
    return {"progress": progress, "now": now, "chart": chart, "ahead": ahead}


@router.post("/projects/{id}/runs/{name}/stop")
def stop(project: ProjectOfPage, job: CandidateOfPage) -> RedirectResponse:
    """End the search and release its best result so far."""
    if job.state == "running":
        job.stop()
    return redirect(f"/projects/{project.id}/runs/{job.name}")


@router.post("/projects/{id}/runs/{name}/cancel")
def cancel(project: ProjectOfPage, job: CandidateOfPage, queue: QueueOfPage) -> RedirectResponse:
    """End the work without a result."""
    queue.cancel(job)
    return redirect(f"/projects/{project.id}/runs")


@router.post("/projects/{id}/runs/{name}/again")
def run_again(project: ProjectOfPage, job: CandidateOfPage, queue: QueueOfPage) -> RedirectResponse:
    """Repeat a job that failed or was ended."""
    if job.over and job.state != "done":
        (job.folder / "stop").unlink(missing_ok=True)
        job.clear()
        queue.add(job)
    return redirect(f"/projects/{project.id}/runs/{job.name}")


@router.post("/projects/{id}/runs/{name}/verify")
def verify(project: ProjectOfPage, job: CandidateOfPage, queue: QueueOfPage) -> RedirectResponse:
    if job.state == "done":
        queue.add(project.new_job("verify", {"run": str(job.folder)}))
    return redirect(f"/projects/{project.id}/runs/{job.name}#verified")


@router.get("/projects/{id}/runs/{name}/verifying")
def verifying(request: Request, project: ProjectOfPage, job: CandidateOfPage) -> HTMLResponse:
    """Polled while the release is verified again."""
    verification = project.latest("verify")
    if verification is None or verification.over:
        return refresh()
    return page(request, "_verifying.html", project=project, job=job)


def _before_and_after(job: Job, result: dict[str, Any], at: int) -> dict[str, Any] | None:
    """A page of the original tuples and what became of them; changed cells are marked."""
    path = job.folder / "before_after.parquet"
    if not path.exists():
        return None
    names = result["names"]
    rows = []
    for row in read_rows(str(path), (at - 1) * PAGE_ROWS, PAGE_ROWS).to_pylist():
        cells = [
            {"before": row[f"b{a}"], "after": row[f"a{a}"], "same": row[f"b{a}"] == row[f"a{a}"]}
            for a in range(len(names))
        ]
        rows.append({"cells": cells, "rows": int(row["rows"]), "alike": int(row["alike"]),
                     "suppressed": row["suppressed"] == "true"})  # fmt: skip
    kept = result["tuples"] - result["tuples_suppressed"]
    first_suppressed = kept // PAGE_ROWS + 1 if result["tuples_suppressed"] else None  # its page
    return {"names": names, "rows": rows, "pages": max(1, -(-result["tuples"] // PAGE_ROWS)),
            "first_suppressed": first_suppressed}  # fmt: skip
