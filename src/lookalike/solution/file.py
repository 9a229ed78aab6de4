"""Solutions on disk. Private: proofs and cell maps speak about the original table."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from lookalike.errors import Fault, FileError, ReleaseRefused
from lookalike.solution.proof import By, Proof
from lookalike.solution.recoding import CellMap, Levels, Recoding, Space
from lookalike.solution.solution import Found, Solution, Status, Stop

FORMAT = "lookalike solution 2"


def dumps(solution: Solution) -> str:
    """The solution as JSON."""
    recoding = solution.recoding
    content = {
        "format": FORMAT,
        "secret": "keep this file: it carries a fingerprint of the original table",
        "status": solution.status,
        "stop": solution.stop,
        "space": solution.space,
        "metric": solution.metric,
        "algorithm": solution.algorithm,
        "why": solution.why,
        "promise": solution.promise,
        **_recoding_out(recoding),
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
            "by": solution.proof.by,
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
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
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
    recoding = _recoding_in(content)
    names = recoding.names if recoding is not None else ()
    return Solution(
        status=Status(content["status"]),
        stop=Stop(content["stop"]),
        space=Space(content["space"]),
        metric=content["metric"],
        algorithm=content["algorithm"],
        why=content["why"],
        promise=content["promise"],
        recoding=recoding,
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
            By(content["proof"]["by"]),
        ),
    )


def _recoding_out(recoding: Recoding | None) -> dict[str, Any]:
    """``levels`` for a full-domain recoding, ``pieces`` for a cell map: group, rows, levels."""
    if isinstance(recoding, Levels):
        return {"levels": dict(zip(recoding.names, recoding.levels, strict=True))}
    if isinstance(recoding, CellMap):
        pieces = np.column_stack([recoding.group, recoding.rows, recoding.levels])
        return {"columns": recoding.names, "pieces": pieces.tolist()}
    return {"levels": None}


def _recoding_in(content: dict[str, Any]) -> Recoding | None:
    if "pieces" in content:
        names = tuple(map(str, content["columns"]))
        pieces = np.array(content["pieces"], dtype=np.int64).reshape(-1, len(names) + 2)
        return CellMap(names, pieces[:, 0], pieces[:, 1], pieces[:, 2:].astype(np.int16))
    levels = content["levels"]
    if levels is None:
        return None
    return Levels(tuple(levels), tuple(map(int, levels.values())))


def _out(bound: float) -> float | str:
    """JSON has no infinity."""
    return bound if math.isfinite(bound) else str(bound)


def _in(bound: float | str) -> float:
    return float(bound)
