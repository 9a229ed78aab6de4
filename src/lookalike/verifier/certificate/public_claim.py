"""The claim as the certificate states it, and the findings about it.

If no row was suppressed, it has cost, lower bound, gap and the size of the proof. If rows were
suppressed, these numbers could tell what the rows held. Then the claim has only what follows from
the released rows and the number of suppressed rows: the cost by some metrics, and that the result
is optimal, if the algorithm proves this of every table. The rest is in the solution file, which is
private (docs/decisions/0027-a-certificate-does-not-depend-on-suppressed-rows.md).

Every sentence is made from numbers of the certificate, so that anyone can make it again.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from lookalike.cost.metric import Metric
from lookalike.errors import LookalikeError
from lookalike.policy.metric_names import metric_from
from lookalike.policy.policy import Policy
from lookalike.privacy.requirement import Requirement
from lookalike.registry import METRICS
from lookalike.solution.proof import By, proof_sentence
from lookalike.solution.recoding import Space
from lookalike.solution.solution import (
    AS_ASKED,
    Solution,
    Status,
    feasible_claim,
    optimal_claim,
)
from lookalike.verifier.certificate.certificate import rounded
from lookalike.verifier.claim.guarantee import guarantee
from lookalike.verifier.claim.metrics import column_weights
from lookalike.verifier.counted_original import CountedOriginal
from lookalike.verifier.finding import Finding
from lookalike.verifier.supplied_definitions import builtin_name, supplied_note

Content = Mapping[str, Any]
# Algorithms that prove every finished search optimal, so that "optimal" says nothing about the
# table. Others may or may not, which depends on suppressed rows.
ALWAYS_PROVE = frozenset(
    {"flash", "branch-and-bound", "mingen", "incognito", "k-optimize", "cell-optimal"}
)
# Metrics whose cost follows from the released rows and the number of suppressed rows.
COUNTED_ON_RELEASE = ("discernibility", "class-size", "classification")
AUTO = "auto"
PRIVATE = "so the data holder keeps {} with the solution"


def public_claim(original: CountedOriginal, solution: Solution, columns: Content) -> dict[str, Any]:
    """The claim, ready to be written as JSON; ``columns`` are the facts on each."""
    private = solution.suppressed or original.policy.needs_sample
    if private and solution.status in (Status.OPTIMAL, Status.FEASIBLE):
        return _without_suppressed_rows(original, solution, columns)
    cost, bound = rounded(solution.cost), rounded(solution.bound)
    if solution.status is Status.OPTIMAL:
        bound = cost  # they may differ by rounding
    shown = replace(solution, cost=cost, bound=solution.bound if bound is None else bound)
    claim: dict[str, Any] = {
        "status": str(solution.status),
        "sentence": shown.claim(),
        "space": str(solution.space),
        "metric": original.policy.metric.name,
        "cost": cost,
        "bound": bound,
        "gap": rounded(shown.gap),
        "bound_by": str(solution.proof.basis),
        "proof_size": solution.proof.size,
        "algorithm": solution.algorithm,
        "seed": solution.seed,
    }
    promise = guarantee(solution, original.policy, original.tables)
    return claim if promise is None else claim | {"guarantee": promise}


def _without_suppressed_rows(
    original: CountedOriginal, solution: Solution, columns: Content
) -> dict[str, Any]:
    """The claim if rows were suppressed."""
    proved = solution.status is Status.OPTIMAL and solution.algorithm in ALWAYS_PROVE
    status = Status.OPTIMAL if proved else Status.FEASIBLE
    metric = original.policy.metric.name
    cost = _released_cost(original, solution, columns)
    chosen = solution.why != AS_ASKED and solution.why.startswith(f"{solution.algorithm}, because")
    return {
        "status": str(status),
        "sentence": private_claim(status, solution.space, metric),
        "space": str(solution.space),
        "metric": metric,
        **({} if cost is None else {"cost": cost}),
        "algorithm": AUTO if chosen else solution.algorithm,
        "seed": solution.seed,
    }


def _released_cost(original: CountedOriginal, solution: Solution, columns: Content) -> float | None:
    """The cost, if it follows from released rows and the number of suppressed rows."""
    if original.policy.needs_sample:
        return None  # it follows from the share of drawn rows that were suppressed
    name = builtin_name(original.policy.metric)
    if name in COUNTED_ON_RELEASE:
        return rounded(solution.cost)
    if name not in ("precision", "height") or solution.space is Space.CUTS:
        return None
    facts = [columns[column] for column in original.policy.names]
    if not all("level" in fact for fact in facts):
        return None
    if name == "height":
        return float(sum(fact["level"] for fact in facts))
    weights = column_weights(original).tolist()
    cells = math.fsum(
        weight * fact["level"] / fact["of"] for weight, fact in zip(weights, facts, strict=True)
    )
    share = solution.suppressed / solution.rows
    return rounded(cells * (1 - share) + share)


def private_claim(status: Status, space: Space, metric: str) -> str:
    """The sentence of the claim if rows were suppressed."""
    if status is Status.OPTIMAL:
        kept = PRIVATE.format("it")
        return f"{optimal_claim(space, metric)}; the proof depends on suppressed rows, {kept}."
    kept = PRIVATE.format("the bound")
    return (
        f"This recoding meets the policy. How much less {metric} cost another {space.recoding} "
        f"could have depends on suppressed rows, {kept}."
    )


def claim_sentence(claim: Content) -> str:
    """The sentence that follows from the other parts of a claim, made again."""
    status, space = Status(claim["status"]), Space(claim["space"])
    if "bound_by" not in claim:
        return private_claim(status, space, claim["metric"])
    if status is Status.OPTIMAL:
        proof = proof_sentence(By(claim["bound_by"]), claim["proof_size"])
        return f"{optimal_claim(space, claim['metric'])}; this is proved by {proof}."
    bound = -math.inf if claim["bound"] is None else claim["bound"]
    return feasible_claim(space, claim["metric"], bound, claim["gap"])


def with_public_claim(findings: Sequence[Finding], claim: Content, policy: Policy) -> list[Finding]:
    """The findings, with those on the claim made from what the certificate has."""
    public = dict(
        zip(("cost", "bound"), claim_findings(claim, policy.metric, policy.require), strict=True)
    )
    public["optimality"] = public["bound"]
    return [
        public[finding.check] if finding.holds and finding.check in public else finding
        for finding in findings
    ]


def claim_findings(
    claim: Content, metric: Metric, rules: Sequence[Requirement]
) -> tuple[Finding, Finding]:
    """The findings that hold on cost and bound, from the parts of a claim."""
    note = supplied_note([metric, *rules])
    cost = claim.get("cost")
    if cost is None:
        words = f"{metric.name} cost, which depends on suppressed rows"
    else:
        words = metric.sentence(cost)
    check = "optimality" if claim["status"] == Status.OPTIMAL else "bound"
    return (
        Finding("cost", True, f"Recomputed: {words}.{note}"),
        Finding(check, True, claim["sentence"] + note),
    )


def metrics_named(name: str, columns: Sequence[str]) -> list[Metric]:
    """The metrics that a certificate may mean: the name does not say which column one is about."""
    if name not in METRICS:
        return []
    needs_column = bool(METRICS.load(name).parameter)
    specs: list[object] = [{name: column} for column in columns] if needs_column else [name]
    metrics = []
    for spec in specs:
        try:
            metrics.append(metric_from(spec))
        except LookalikeError:
            continue
    return metrics
