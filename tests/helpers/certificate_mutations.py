"""Releases of every kind, and certificates with one field changed, removed or of another type."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pyarrow as pa
from cut_recodings import GivenCuts
from sabotaged import patients, policy

import lookalike as la
from lookalike.errors import LookalikeError
from lookalike.verifier.certificate.fields import Path, fields, unchecked_fields
from lookalike.verifier.certificate.public_checks import check_certificate

KEY = b"a key that is only for tests"
SCHOOL = ["none", "primary", "secondary", "vocational", "bachelor, arts", "bachelor", "master"]


def _cut(last: str = "bachelor") -> la.Release:
    """By cuts; an interval is shown by the ends of its list."""
    table = pa.table(
        {
            "age": [21, 22, 23, 24, 35, 36, 37, 97],
            "school": [*SCHOOL[:4], "bachelor, arts", "bachelor, arts", last, "master"],
            "ill": ["flu"] * 8,
        }
    )
    asked = la.Policy(
        quasi_identifiers={"age": la.bands(50), "school": la.ordered(SCHOOL)},
        sensitive="ill",
        require=la.KAnonymity(2),
        metric="discernibility",
        suppress=1,
    )
    return la.anonymize(table, asked, GivenCuts(((4, 7), (4, 6))))


def _pseudonyms() -> la.Release:
    rows = [
        {"person": f"AB-{number:06d}", "age": 31 + number % 3, "zip": f"0213{number % 2}"}
        for number in range(12)
    ]
    asked = la.Policy(
        quasi_identifiers={"age": la.bands(5, 10), "zip": la.prefix()},
        pseudonyms={"person": "token"},
        require=la.KAnonymity(3),
    )
    return la.anonymize(pa.Table.from_pylist(rows), asked, key=KEY)


def _private() -> la.Release:
    """With differential privacy; the classes are so large that none can be left out by chance."""
    rows = [{"age": 20 + number % 40, "sex": "fm"[number % 2]} for number in range(400)]
    asked = la.Policy(
        quasi_identifiers={"age": la.bands(20), "sex": la.flat()},
        require=la.DifferentialPrivacy(1.0, 0.01),
        levels={"age": (1, 1), "sex": (0, 0)},
        suppress=1.0,
    )
    return la.anonymize(pa.Table.from_pylist(rows), asked)


KINDS: dict[str, Callable[[], la.Release]] = {
    "levels, rows suppressed": lambda: la.anonymize(patients(), policy()),
    "levels, every row kept": lambda: la.anonymize(patients(), policy(suppress=0, levels={})),
    "levels, a heuristic": lambda: la.anonymize(
        patients(), policy(suppress=0, levels={}, metric="loss"), "datafly"
    ),
    "levels, an accepted column": lambda: la.anonymize(
        patients(), policy(accept={"sick": "the study is about it."})
    ),
    "cuts": _cut,
    "cell map": lambda: la.anonymize(
        patients(), policy(levels={}, suppress=0, metric="loss"), "mondrian"
    ),
    "cell map, a guarantee": lambda: la.anonymize(
        patients(), policy(levels={}, suppress=0), "meyerson-williams"
    ),
    "starred rows, l-diversity": lambda: la.anonymize(
        patients(),
        policy(
            require=(la.KAnonymity(2), la.DistinctDiversity("sick", 2)),
            conventions=la.Conventions(suppressed="star", stars="wildcard"),
        ),
    ),
    "pseudonyms": _pseudonyms,
    "eligible rows, two sets, classification": lambda: la.anonymize(
        patients(),
        policy(
            eligible={"sick": ["flu", "cold"]},
            require=(la.KAnonymity(2), la.TCloseness("sick", 0.9)),
            metric=la.Classification("sick"),
        ),
    ),
    "two sets, height": lambda: la.anonymize(
        patients(),
        policy(linking={"one": ["age"], "two": ["zip", "job"]}, metric="height"),
    ),
    "differential privacy": _private,
    "class size": lambda: la.anonymize(patients(), policy(metric="class-size")),
}


@cache
def release(kind: str) -> la.Release:
    return KINDS[kind]()


def mutations(content: Any) -> Iterator[tuple[Path, str, Any]]:
    """For each field three certificates that differ from this one in it alone."""
    for path in fields(content):
        *above, last = path
        for how in ("changed", "removed", "of another type"):
            mutant = copy.deepcopy(content)
            part = mutant
            for key in above:
                part = part[key]
            if how == "removed":
                del part[last]
            else:
                part[last] = (_changed if how == "changed" else _of_another_type)(part[last])
            yield path, how, mutant


def _changed(value: Any) -> Any:
    others = {
        "sensitive": "insensitive", "insensitive": "sensitive", "drop": "star", "star": "drop",
        "own": "wildcard", "wildcard": "own", "value": "refuse", "optimal": "feasible",
        "feasible": "optimal", "full-domain": "cell-level", "cell-level": "full-domain",
        "free": "siblings", "nodes": "tree", "support bound": "nodes",
    }  # fmt: skip
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str):
        if value.endswith("."):
            return f"{value[:-1]}, and more."
        return others.get(value, f"{value}s")
    return "AG_TS" if value is None else ["sick"]


def _of_another_type(value: Any) -> Any:
    return 7 if isinstance(value, str) or value is None else f"{value}"


def refused(made: la.Release, content: Any) -> bool:
    """From outside, by release and certificate alone."""
    try:
        certificate = la.Certificate.read(json.dumps(content), "certificate")
    except LookalikeError:
        return True
    return not all(finding.holds for finding in check_certificate(made.released, certificate))


def survivors(kind: str, every: int = 1) -> tuple[int, list[str]]:
    """How many were tried, and those that pass though their field counts as checked."""
    made = release(kind)
    content = json.loads(made.certificate.to_json())
    unchecked = unchecked_fields(content)
    tried = list(mutations(content))[::every]
    passed = [
        f"{'.'.join(map(str, path))} {how}"
        for path, how, mutant in tried
        if path not in unchecked and not refused(made, mutant)
    ]
    return len(tried), passed
