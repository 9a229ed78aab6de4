"""Solutions on disk. Private: a proof carries a fingerprint of the original table."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from lookalike.errors import Fault, FileError, ReleaseRefused
from lookalike.solution.proof import Proof
from lookalike.solution.recoding import Levels, Space
from lookalike.solution.solution import Found, Solution, Status, Stop

FORMAT = "lookalike solution 1"


def dumps(solution: Solution) -> str:
    """The solution as JSON."""
    recoding = solution.recoding
    content = {
        "format": FORMAT,
        "secret": "keep this file: its proof carries a fingerprint of the original table",
        "status": solution.status,
        "stop": solution.stop,
        "space": solution.space,
        "metric": solution.metric,
        "algorithm": solution.algorithm,
        "why": solution.why,
        "levels": dict(zip(recoding.names, recoding.levels, strict=True)) if recoding else None,
        "alternatives": [list(other.levels) for other in solution.alternatives],
        "rows": solution.rows,
        "suppressed": solution.suppressed,
        "classes": solution.classes,
        "cost": solution.cost,
        "bound": _out(solution.bound),
        "seed": solution.seed,
        "checks": solution.checks,
        "seconds": solution.seconds,
        "trace": [[f.seconds, f.checks, f.cost, _out(f.bound)] for f in solution.trace],
        "proof": {
            "fingerprint": solution.proof.fingerprint,
            "nodes": [list(node) for node in solution.proof.nodes],
        },
    }
    return json.dumps(content, ensure_ascii=False) + "\n"


def loads(text: str, where: str = "solution") -> Solution:
    """A solution from JSON. Whether its claim is true, only the verifier can say."""
    fix = "give the file that lookalike solve wrote"
    try:
        content = json.loads(text)
        known = content["format"] == FORMAT
    except (ValueError, KeyError, TypeError):
        known = False
    if not known:
        raise FileError(Fault(where, "this is no solution file", fix))
    try:
        return _read(content)
    except (ValueError, KeyError, TypeError, AttributeError):
        problem = "this solution contradicts itself, or parts are missing: it was altered"
        raise ReleaseRefused(Fault(where, problem, fix)) from None


def load(path: str | Path) -> Solution:
    """Read a solution file."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        problem = f"cannot be read ({error.strerror})"
        raise FileError(Fault(Path(path).name, problem, "check the path")) from None
    except UnicodeDecodeError:
        text = ""
    return loads(text, Path(path).name)


def _read(content: dict[str, Any]) -> Solution:
    levels = content["levels"]
    names = tuple(levels) if levels is not None else ()
    return Solution(
        status=Status(content["status"]),
        stop=Stop(content["stop"]),
        space=Space(content["space"]),
        metric=content["metric"],
        algorithm=content["algorithm"],
        why=content["why"],
        recoding=Levels(names, tuple(map(int, levels.values()))) if levels is not None else None,
        alternatives=tuple(Levels(names, tuple(other)) for other in content["alternatives"]),
        rows=int(content["rows"]),
        suppressed=int(content["suppressed"]),
        classes=int(content["classes"]),
        cost=content["cost"],
        bound=_in(content["bound"]),
        seed=int(content["seed"]),
        checks=int(content["checks"]),
        seconds=float(content["seconds"]),
        trace=tuple(Found(s, n, cost, _in(bound)) for s, n, cost, bound in content["trace"]),
        proof=Proof(
            tuple(tuple(map(int, node)) for node in content["proof"]["nodes"]),
            str(content["proof"]["fingerprint"]),
        ),
    )


def _out(bound: float) -> float | str:
    """JSON has no infinity."""
    return bound if math.isfinite(bound) else str(bound)


def _in(bound: float | str) -> float:
    return float(bound)
