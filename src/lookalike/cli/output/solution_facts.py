"""A solution for a JSON document."""

from __future__ import annotations

from typing import Any

import lookalike as la
from lookalike import api


def solution_facts(solution: la.Solution) -> dict[str, Any]:
    """A solution for a JSON document, without its proof, which is private."""
    return {
        "status": solution.status,
        "stop": solution.stop,
        "space": solution.space,
        "metric": solution.metric,
        "algorithm": solution.algorithm,
        "why": solution.why,
        **(api.NO_FACTS if solution.recoding is None else solution.recoding.facts()),
        "rows": solution.rows,
        "suppressed": solution.suppressed,
        "classes": solution.classes,
        "cost": solution.cost,
        "bound": solution.bound,
        "gap": solution.gap,
        "checks": solution.checks,
        "seconds": solution.seconds,
        "seed": solution.seed,
        "claim": solution.claim(),
    }
