"""The page of the requirements: what the release must promise, the metric and the search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from lookalike import api
from lookalike.errors import Fault, LookalikeError, PolicyError
from lookalike.registry import ALGORITHMS, METRICS
from lookalike.web.pages import form_reading as forms
from lookalike.web.pages.form_reading import text
from lookalike.web.pages.page_frame import (
    FormOfPage,
    ProjectOfPage,
    QueueOfPage,
    page,
    redirect,
    refresh,
)
from lookalike.web.project import policy_document as document
from lookalike.web.project.private_files import write_text
from lookalike.web.project.project import Project
from lookalike.words import METRICS as METRIC_TERMS

router = APIRouter()
MAX_CANDIDATES = 24  # of one request


@router.get("/projects/{id}/requirements", response_model=None)
def show(request: Request, project: ProjectOfPage) -> HTMLResponse | RedirectResponse:
    if not document.read(project):
        return redirect(f"/projects/{project.id}/columns")
    return _requirements_page(request, project)


def _requirements_page(
    request: Request, project: Project, faults: Sequence[Fault] = ()
) -> HTMLResponse:
    policy = document.read(project)
    spend, require = policy.get("spend", {}), policy.get("require", {})
    metric, suppress = spend.get("metric", "precision"), spend.get("suppress", 0)
    rules = forms.rules_of(require)
    metrics = [(name, _metric_label(name, kind)) for name, kind in METRICS.usable().items()]
    return page(
        request, "requirements.html", 400 if faults else 200, faults,
        project=project, step="requirements",
        k=require.get("k_anonymity", 5),
        rules=[*rules, *[("", "", "")] * (forms.RULE_SLOTS - len(rules))][: forms.RULE_SLOTS],
        offered=forms.rules(),
        other_rules=sorted(key for key in require if not forms.is_offered(key)),
        kept=[*policy.get("sensitive", []), *policy.get("insensitive", [])],
        accept=policy.get("accept", {}),
        suppress=f"{suppress * 100:g}%" if isinstance(suppress, float) else str(suppress),
        metrics=metrics,
        metric=metric if isinstance(metric, str) else "classification",
        metric_column=metric.get("classification", "") if isinstance(metric, dict) else "",
        conventions={"suppressed": "drop", "stars": "own", "nulls": "value"}
        | policy.get("conventions", {}),
        search={"by": "auto", "seed": 0, "want": "feasible", "seconds": ""}
        | policy.get("search", {}),
        algorithms=[
            name for name, kind in ALGORITHMS.usable().items()
            if not (kind.only_by_name or kind.may_break_policy)
        ],
        explanation=project.latest("explain"),
    )  # fmt: skip


def _metric_label(name: str, kind: type[api.Metric]) -> str:
    gloss = METRIC_TERMS[name].gloss if name in METRIC_TERMS else kind.meaning
    return f"{name}: {gloss}" if gloss else name


@router.get("/projects/{id}/explanation")
def explanation(request: Request, project: ProjectOfPage) -> HTMLResponse:
    """Polled while the size of the search is estimated."""
    job = project.latest("explain")
    if job is None or job.over:
        return refresh()
    return page(request, "_explanation.html", project=project, explanation=job)


@router.post("/projects/{id}/requirements", response_model=None)
def save(
    request: Request, project: ProjectOfPage, form: FormOfPage, queue: QueueOfPage
) -> HTMLResponse | RedirectResponse:
    """Save the form, then estimate the size of the search, or start searching."""
    policy = document.read(project)
    if not policy:
        return redirect(f"/projects/{project.id}/columns")
    policy["require"] = forms.requirements(form, policy.get("require", {}))
    metric = text(form, "metric")
    policy["spend"] = policy.get("spend", {}) | {
        "metric": {metric: text(form, "of")} if metric == "classification" else metric,
        "suppress": forms.allowance(text(form, "suppress")),
    }
    chosen = {key: text(form, key) for key in ("suppressed", "stars", "nulls")}
    policy["conventions"] = policy.get("conventions", {}) | {k: v for k, v in chosen.items() if v}
    policy["search"] = _search_settings(form, policy.get("search", {}))
    policy.pop("accept", None)
    if accepted := forms.accepted(form):
        policy["accept"] = accepted
    document.save(project, policy)
    try:
        document.check(policy, project)
        if text(form, "then") == "explain":
            job = project.new_job("explain", {})
            write_text(job.folder / "policy.toml", document.self_contained(policy, project))
            queue.add(job)
            return redirect(f"/projects/{project.id}/requirements#size")
        candidates = _candidates(project, form, policy)
    except LookalikeError as error:
        return _requirements_page(request, project, error.faults)
    jobs = []
    for details, policy_file in candidates:
        job = project.new_job("run", details)
        write_text(job.folder / "policy.toml", policy_file)
        jobs.append(queue.add(job))
    only = f"/{jobs[0].name}" if len(jobs) == 1 else ""
    return redirect(f"/projects/{project.id}/runs{only}")


def _search_settings(form: Any, earlier: dict[str, Any]) -> dict[str, Any]:
    settings = earlier | {
        "by": text(form, "by") or "auto",
        "seed": forms.number(text(form, "seed") or "0"),
        "want": text(form, "want") or "feasible",
    }
    settings.pop("seconds", None)
    if seconds := text(form, "seconds"):
        settings["seconds"] = forms.number(seconds)
    return settings


def _candidates(
    project: Project, form: Any, policy: document.Document
) -> list[tuple[dict[str, Any], str]]:
    """The details of each candidate, and its policy file."""
    pairs = forms.candidates(form, policy)
    if len(pairs) > MAX_CANDIDATES:
        fix = f"ask for at most {MAX_CANDIDATES} at a time"
        raise PolicyError(Fault("candidates", f"these are {len(pairs)} candidates", fix))
    metric = policy["spend"]["metric"]
    metric_name = metric if isinstance(metric, str) else next(iter(metric))
    candidates = []
    for k, by in pairs:
        changed = policy | {
            "require": policy["require"] | {"k_anonymity": k},
            "search": policy["search"] | {"by": by},
        }
        details = {"label": f"k = {k}, {by}", "k": k, "by": by, "metric": metric_name}
        candidates.append((details, document.self_contained(changed, project)))
    return candidates
