"""Solution files: solutions as JSON. They are private, because they describe the original."""

from __future__ import annotations

import base64
import json
import math
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike import strict_json
from lookalike.errors import Fault, FileError, ReleaseRefused
from lookalike.solution.proof import BoxTree, By, CutTree, DualPrices, Proof
from lookalike.solution.recoding import CellMap, Cuts, Levels, Recoding, Space
from lookalike.solution.solution import Solution, Status, Stop, TracePoint

SECRET = "keep this file: it carries a fingerprint of the original table"
FORMAT = "lookalike solution 3"
MAX_NAME = 80  # characters of an algorithm or a key
MAX_BYTES = 1 << 30  # of an unpacked array


def dumps(solution: Solution) -> str:
    """The solution as JSON."""
    return json.dumps(_content(solution), ensure_ascii=False) + "\n"


def _content(solution: Solution) -> dict[str, Any]:
    recoding = solution.recoding
    return {
        "format": FORMAT,
        "secret": SECRET,
        **{key: getattr(solution, key) for key in CLAIM},
        **(recoding.content() if recoding is not None else {"levels": None}),
        "alternatives": [other.levels for other in solution.alternatives],
        **{key: getattr(solution, key) for key in SIZES},
        "cost": solution.cost,
        "bound": _out(solution.bound),
        **{key: getattr(solution, key) for key in EFFORT},
        "trace": [[f.seconds, f.checks, f.cost, _out(f.bound)] for f in solution.trace],
        "proof": {
            "fingerprint": solution.proof.fingerprint,
            "by": solution.proof.by,
            "nodes": solution.proof.nodes,
            **_tree_out(solution.proof.tree),
            **_prices_out(solution.proof.prices),
            **({"floor": solution.proof.floor} if solution.proof.floor else {}),
            **({"refuted": solution.proof.refuted} if solution.proof.refuted else {}),
            **_boxes_out(solution.proof.boxes),
        },
    }


def loads(text: str, where: str = "solution") -> Solution:
    """A solution from JSON. Only the verifier can tell whether its claim is true."""
    fix = "give the file that lookalike solve wrote"
    try:
        content = strict_json.loads(text)
        known = content["format"] == FORMAT
    except (ValueError, KeyError, TypeError):
        known = False
    if not known:
        raise FileError(Fault(where, "this is not a solution file", fix))
    try:
        solution = _read(content)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
        problem = "this solution contradicts itself, or parts are missing: it was altered"
        raise ReleaseRefused(Fault(where, problem, fix)) from None
    faults = [
        Fault(f"{where}: {key}", "a solution file has no such key: it was altered", fix)
        for key in _unknown_keys(content, _content(solution))
    ]
    if content.get("secret") != SECRET:
        problem = "not the note that every solution file has: it was altered"
        faults.append(Fault(f"{where}: secret", problem, fix))
    if not (0 < len(solution.algorithm) <= MAX_NAME and solution.algorithm.isprintable()):
        problem = f"not a name of up to {MAX_NAME} printable characters: it was altered"
        faults.append(Fault(f"{where}: algorithm", problem, fix))
    if faults:
        raise ReleaseRefused(faults)
    return solution


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
        **{key: read(content[key]) for key, read in (CLAIM | SIZES | EFFORT).items()},
        recoding=recoding,
        alternatives=tuple(Levels(names, _wholes(other)) for other in content["alternatives"]),
        cost=content["cost"],
        bound=float(content["bound"]),
        trace=tuple(TracePoint(s, n, cost, float(bound)) for s, n, cost, bound in content["trace"]),
        proof=Proof(
            tuple(map(_wholes, content["proof"]["nodes"])),
            _text(content["proof"]["fingerprint"]),
            By(content["proof"]["by"]),
            _tree_in(content["proof"]),
            _prices_in(content["proof"]),
            tuple(map(_wholes, content["proof"].get("floor", ()))),
            tuple(map(_wholes, content["proof"].get("refuted", ()))),
            _boxes_in(content["proof"]),
        ),
    )


def _recoding_in(content: dict[str, Any]) -> Recoding | None:
    if "pieces" in content:
        names = tuple(map(_text, content["columns"]))
        listed = list(map(_wholes, content["pieces"]))
        pieces = np.array(listed, dtype=np.int64).reshape(-1, len(names) + 2)
        levels_of = pieces[:, 2:].astype(np.int16)
        if not np.array_equal(levels_of, pieces[:, 2:]):
            raise ValueError("levels are small numbers")
        return CellMap(names, pieces[:, 0], pieces[:, 1], levels_of)
    if "cuts" in content:
        return Cuts(tuple(map(_text, content["columns"])), tuple(map(_wholes, content["cuts"])))
    levels = content["levels"]
    if levels is None:
        return None
    return Levels(tuple(levels), _wholes(levels.values()))


def _prices_out(prices: Sequence[DualPrices]) -> dict[str, Any]:
    if not prices:
        return {}
    return {
        "dual_prices": [
            {
                "per_row": _packed(part.per_row, "<f8"),
                "suppression": part.suppression,
                "triples": _packed(part.triples, "<i8"),
                "triple_prices": _packed(part.triple_prices, "<f8"),
            }
            for part in prices
        ]
    }


def _prices_in(proof: dict[str, Any]) -> tuple[DualPrices, ...]:
    return tuple(
        DualPrices(
            _unpacked(part["per_row"], "<f8"),
            float(part["suppression"]),
            _unpacked(part["triples"], "<i8").reshape(-1, 3),
            _unpacked(part["triple_prices"], "<f8"),
        )
        for part in proof.get("dual_prices", ())
    )


def _packed(array: NDArray[Any], dtype: str) -> str:
    return base64.b64encode(zlib.compress(array.astype(dtype).tobytes(), 9)).decode()


def _unpacked(text: str, dtype: str) -> NDArray[Any]:
    try:
        unpacking = zlib.decompressobj()
        raw = unpacking.decompress(base64.b64decode(text, validate=True), MAX_BYTES)
    except zlib.error:
        raise ValueError("a part cannot be unpacked") from None
    if unpacking.unconsumed_tail:
        raise ValueError("a part is larger than any search makes it")
    return np.frombuffer(raw, dtype=dtype).astype(np.dtype(dtype).newbyteorder("="))


def _tree_out(tree: CutTree | None) -> dict[str, Any]:
    """Marks repeat a lot: a packed tree of a million takes some hundred kilobytes."""
    if tree is None:
        return {}
    marks, below = _packed(tree.marks, "<i2"), _out(tree.below)
    return {"tree": {"long": tree.long, "asked": tree.asked, "below": below, "marks": marks}}


def _tree_in(proof: dict[str, Any]) -> CutTree | None:
    if "tree" not in proof:
        return None
    tree = proof["tree"]
    marks = _unpacked(tree["marks"], "<i2")
    return CutTree(_text(tree["long"]), marks, _text(tree["asked"]), float(tree["below"]))


def _boxes_out(boxes: BoxTree | None) -> dict[str, Any]:
    return {} if boxes is None else {"boxes": _packed(boxes.tokens, "<i4")}


def _boxes_in(proof: dict[str, Any]) -> BoxTree | None:
    return BoxTree(_unpacked(proof["boxes"], "<i4")) if "boxes" in proof else None


def _out(bound: float) -> float | str:
    """JSON has no infinity."""
    return bound if math.isfinite(bound) else str(bound)


def _whole(value: object) -> int:
    """A whole number: 1.5 is not read as 1, nor is true."""
    if type(value) is not int:
        raise TypeError("not a whole number")
    return value


def _wholes(values: Iterable[object]) -> tuple[int, ...]:
    return tuple(map(_whole, values))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


# Fields that are written as they are, and how each is read.
Readers = dict[str, Callable[[Any], Any]]
CLAIM: Readers = {"status": Status, "stop": Stop, "space": Space}
CLAIM |= dict.fromkeys(("metric", "algorithm", "why", "promise"), _text)
SIZES: Readers = dict.fromkeys(("rows", "suppressed", "classes"), _whole)
EFFORT: Readers = {"seed": _whole, "checks": _whole, "seconds": float}


def _unknown_keys(content: Mapping[str, Any], written: Mapping[str, Any]) -> list[str]:
    """Keys that would not be written for what was read, in a printable form."""
    keys = [*(content.keys() - written.keys())]
    keys += [f"proof.{key}" for key in content["proof"].keys() - written["proof"].keys()]
    tree, as_written = (part["proof"].get("tree", {}) for part in (content, written))
    keys += [f"proof.tree.{key}" for key in tree.keys() - as_written.keys()]
    return sorted(key if key.isprintable() else ascii(key) for key in (k[:MAX_NAME] for k in keys))
