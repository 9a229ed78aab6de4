"""What the release must promise, what it may cost, how long to search; and off it goes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from lookalike.errors import Fault, LookalikeError, PluginError, PolicyError
from lookalike.policy.metric_names import BY_NAME as METRICS
from lookalike.registry import ALGORITHMS
from lookalike.search.auto_choice import names_to_compare
from lookalike.web import form_reading as forms
from lookalike.web import policy_document as document
from lookalike.web.form_reading import text
from lookalike.web.page_frame import Form, InProject, TheQueue, page, refresh, to
from lookalike.web.private_files import write_text
from lookalike.web.project import Project
from lookalike.web.queue import Queue

router = APIRouter()
MOST = 24  # candidates of one go
METRIC_WORDS = {
    "loss": "how many values a released value could stand for",
    "precision": "how far values went up their hierarchy (1 − Prec)",
    "discernibility": "how many rows look alike",
    "class-size": "how much larger classes are than k",
    "entropy": "how much information the coarser values lose",
    "loss-geometric": "loss, with columns multiplied",
    "height": "the sum of the levels",
}


@router.get("/projects/{id}/ask", response_model=None)
def ask(request: Request, project: InProject) -> HTMLResponse | RedirectResponse:
    if not document.read(project):
        return to(f"/projects/{project.id}/columns")
    return _ask(request, project)


def _ask(
    request: Request, project: Project, faults: Sequence[Fault] = (), status: int = 200
) -> HTMLResponse:
    said = document.read(project)
    spend, require = said.get("spend", {}), said.get("require", {})
    metric = spend.get("metric", "precision")
    rules = forms.rules_of(require)
    more = sorted(key for key in require if key not in forms.OFFERED)
    explained = project.latest("explain")
    return page(
        request, "ask.html", status, faults, project=project, step="ask",
        k=require.get("k_anonymity", 5),
        rules=[*rules, *[("", "", "")] * (forms.SLOTS - len(rules))][: forms.SLOTS],
        offered=forms.RULES, more=more,
        kept=[*said.get("sensitive", []), *said.get("insensitive", [])],
        suppress=_suppress(spend.get("suppress", 0)),
        metrics=[(one, METRIC_WORDS.get(one, "")) for one in METRICS],
        metric=metric if isinstance(metric, str) else "classification",
        of=metric.get("classification", "") if isinstance(metric, dict) else "",
        conventions=said.get("conventions", {}), search=said.get("search", {}),
        algorithms=_offered_algorithms(),
        explained=explained, told=explained.told if explained else None,
    )  # fmt: skip


def _offered_algorithms() -> list[str]:
    """Those whose answer always meets the policy."""
    return [name for name in names_to_compare() if not _may_break_policy(name)]


def _may_break_policy(name: str) -> bool:
    try:
        return bool(ALGORITHMS.load(name).may_break_policy)
    except PluginError:
        return False  # the run says what is wrong with it


def _suppress(given: Any) -> str:
    if isinstance(given, float):
        return f"{given * 100:g}%"
    return str(given)


@router.get("/projects/{id}/explained")
def explained(request: Request, project: InProject) -> HTMLResponse:
    """Polled while the policy is met with the table."""
    job = project.latest("explain")
    if job is None or job.over:
        return refresh()
    return page(request, "_explained.html", project=project, explained=job, told=job.told)


@router.post("/projects/{id}/ask", response_model=None)
def save(
    request: Request, project: InProject, form: Form, queue: TheQueue
) -> HTMLResponse | RedirectResponse:
    """Keep what is asked; and then explain it, or search."""
    said = document.read(project)
    if not said:
        return to(f"/projects/{project.id}/columns")
    said["require"] = forms.required(form, said.get("require", {}))
    metric = text(form, "metric")
    said["spend"] = said.get("spend", {}) | {
        "metric": {"classification": text(form, "of")} if metric == "classification" else metric,
        "suppress": forms.allowance(text(form, "suppress")),
    }
    words = {key: text(form, key) for key in ("suppressed", "stars", "nulls")}
    said["conventions"] = said.get("conventions", {}) | {k: v for k, v in words.items() if v}
    said["search"] = _search(form, said.get("search", {}))
    document.save(project, said)
    try:
        document.check(said, project)
        if text(form, "then") == "explain":
            job = project.new_job("explain", {})
            write_text(job.folder / "policy.toml", document.whole(said, project))
            queue.add(job)
            return to(f"/projects/{project.id}/ask#size")
        jobs = _candidates(project, form, said)
    except LookalikeError as error:
        return _ask(request, project, error.faults, 400)
    return _queued(project, queue, jobs)


def _queued(
    project: Project, queue: Queue, jobs: list[tuple[dict[str, Any], str]]
) -> RedirectResponse:
    added = []
    for asked, policy in jobs:
        job = project.new_job("run", asked)
        write_text(job.folder / "policy.toml", policy)
        added.append(queue.add(job))
    where = f"/{added[0].name}" if len(added) == 1 else ""
    return to(f"/projects/{project.id}/runs{where}")


def _search(form: Any, before: dict[str, Any]) -> dict[str, Any]:
    found = before | {
        "by": text(form, "by") or "auto",
        "seed": forms.number(text(form, "seed") or "0"),
        "want": text(form, "want") or "feasible",
    }
    found.pop("seconds", None)
    if seconds := text(form, "seconds"):
        found["seconds"] = forms.number(seconds)
    return found


def _candidates(
    project: Project, form: Any, said: dict[str, Any]
) -> list[tuple[dict[str, Any], str]]:
    pairs = forms.candidates(form, said)
    if len(pairs) > MOST:
        fix = f"ask for {MOST} at the most at one time"
        raise PolicyError(Fault("candidates", f"these are {len(pairs)} candidates", fix))
    jobs = []
    for k, by in pairs:
        asked = said | {
            "require": said["require"] | {"k_anonymity": k},
            "search": said["search"] | {"by": by},
        }
        metric = said["spend"]["metric"]
        told = {"label": f"k = {k}, {by}", "k": k, "by": by}
        told["metric"] = metric if isinstance(metric, str) else "classification"
        jobs.append((told, document.whole(asked, project)))
    return jobs
