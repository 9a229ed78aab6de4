"""Every field of a certificate: which are checked from outside, and which are not, and why.

A field is a value in the JSON document that is not a list or an object, or an empty one of these.
``CHECKED`` has the fields that are computed again from the table or from other fields.
``UNCHECKED`` has the others with the reason, under a condition if it depends on the certificate. A
field that neither names is listed as unchecked, so that a new one cannot be forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from lookalike.policy.requirement_names import requirements_from
from lookalike.registry import METRICS
from lookalike.verifier.labels.interval_truth import is_shortened
from lookalike.verifier.requirements.sampling_privacy import NOT_CHECKED as SAMPLE_NOT_CHECKED

Content = Mapping[str, Any]
Path = tuple[str | int, ...]
Condition = Callable[[Content, Path], bool]

ROWS = (
    "that the rows come from the original and are recoded truthfully; which columns of the "
    "original are not released; how many rows were eligible or suppressed, and how many the "
    "policy allows to suppress"
)
GENERALIZED = (
    "how far values were generalized, beyond what their labels say, by which model and conventions"
)
COST = (
    "the cost of the recoding, its lower bound, the kind of recodings it is compared with and the "
    "proof: only that the sentence of the claim follows from these is checked"
)
ROLES = "whether a column that is kept unchanged is sensitive"
POPULATION = "the promise about the population, which only the data holder has"
ACCEPTED = "which kept columns that can help to find people the data holder accepts, and why"
SAMPLE = f"that the rows come from the original and are recoded truthfully; {SAMPLE_NOT_CHECKED}"
OTHERS = "other parts of the certificate"
NOT_SIGNED = (
    "who wrote the certificate, and which algorithm made the release: the certificate is not "
    "signed, so get it from the data holder"
)
ANY, REST = "*", "**"  # one key or place in a list; all that follows


def _always(content: Content, path: Path) -> bool:
    return True


def _at(content: Content, path: Path) -> Any:
    part: Any = content
    for key in path:
        part = part[key]
    return part


def _keeps_all_rows(content: Content, path: Path) -> bool:
    return bool(content["rows"].get("suppressed") == 0)


def _is_kept_unchanged(content: Content, path: Path) -> bool:
    return _at(content, path) in ("sensitive", "insensitive")


def _is_dropped(content: Content, path: Path) -> bool:
    return bool(content["columns"][path[1]].get("role") == "identifier")


def _has_level(content: Content, path: Path) -> bool:
    return "level" in _at(content, path[:-1])


def _has_level_only(content: Content, path: Path) -> bool:
    return _has_level(content, path) and "by_interval" not in _at(content, path[:-1])


def _is_shortened(content: Content, path: Path) -> bool:
    label = _at(content, path[:4]).get("label")
    return isinstance(label, str) and is_shortened(label)


def _cost_unknown(content: Content, path: Path) -> bool:
    return not cost_is_recounted(content)


def _of_population(content: Content, path: Path) -> bool:
    rules = requirements_from(content["require"])
    names = {rule.name for rule in rules if rule.needs_population}
    return _at(content, path[:2])["check"] in names


def _of_unknown_metric(content: Content, path: Path) -> bool:
    return _at(content, path[:2])["check"] == "cost" and content["claim"]["metric"] not in METRICS


def cost_is_recounted(content: Content) -> bool:
    """Does the cost follow from the released rows, or from other fields?"""
    claim = content["claim"]
    if claim.get("metric") == "height":
        return not _keeps_all_rows(content, ())  # else levels may be other than the lowest
    return (
        claim.get("metric") in ("discernibility", "class-size")
        and (content["conventions"]["suppressed"] == "drop" or _keeps_all_rows(content, ()))
        and not any("by_interval" in facts for facts in content["columns"].values())
    )


CHECKED: tuple[Path, ...] = (
    ("format",),
    ("verified",),
    ("require", REST),
    ("linking", REST),
    ("promise", REST),
    ("eligible", REST),
    ("claim", "status"),
    ("claim", "sentence"),
    ("claim", "metric"),
    ("claim", "cost"),
    ("claim", "gap"),
    ("claim", "guarantee", REST),
    ("rows", "original"),
    ("rows", "released"),
    ("rows", "suppressed"),
    ("rows", "classes"),
    ("rows", "table"),
    ("sampling", "probability"),
    ("sampling", "k"),
    ("columns", ANY, "role"),
    ("columns", ANY, "shown"),
    ("columns", ANY, "intervals"),
    ("columns", ANY, "intervals_listed", ANY, "label"),
    ("columns", ANY, "intervals_listed", ANY, "values", ANY),
    ("columns", ANY, "by_interval"),
    ("accepted", ANY, "rows_at_risk"),
    ("conventions", "stars"),
    ("conventions", "order"),
    ("conventions", "suppressed"),
    ("findings", ANY, "check"),
    ("findings", ANY, "holds"),
    ("findings", ANY, "sentence"),
    ("findings", ANY, "fix"),
    ("release_digest",),
)
UNCHECKED: tuple[tuple[Path, str, Condition], ...] = (
    (("rows", "original"), ROWS, _always),
    (("rows", "suppressed"), ROWS, _always),
    (("rows", "allowed"), ROWS, _always),
    (("rows", "table"), ROWS, _always),
    (("eligible", REST), ROWS, _always),
    (("sampling", "levels"), SAMPLE, _always),
    (("sampling", "randomness"), SAMPLE, _always),
    (("columns", ANY, "level"), GENERALIZED, _has_level),
    (("columns", ANY, "of"), GENERALIZED, _has_level),
    (("columns", ANY, "shown"), GENERALIZED, _has_level_only),
    (("columns", ANY, "intervals_listed", ANY, "values", ANY), GENERALIZED, _is_shortened),
    (("model",), GENERALIZED, _always),
    (("conventions", "nulls"), GENERALIZED, _always),
    (("conventions", "cuts"), GENERALIZED, _always),
    (("conventions", "suppressed"), GENERALIZED, _keeps_all_rows),
    (("columns", ANY, "role"), ROLES, _is_kept_unchanged),
    (("columns", ANY, "role"), ROWS, _is_dropped),
    (("columns", ANY, "shown"), ROWS, _is_dropped),
    (("accepted",), ACCEPTED, _always),
    (("accepted", ANY, "reason"), ACCEPTED, _always),
    (("claim", "space"), COST, _always),
    (("claim", "cost"), COST, _cost_unknown),
    (("claim", "bound"), COST, _always),
    (("claim", "bound_by"), COST, _always),
    (("claim", "proof_size"), COST, _always),
    (("findings", ANY, "sentence"), COST, _of_unknown_metric),
    (("findings", ANY, "sentence"), POPULATION, _of_population),
    (("made_with",), NOT_SIGNED, _always),
    (("packages", REST), NOT_SIGNED, _always),
    (("claim", "algorithm"), NOT_SIGNED, _always),
    (("claim", "seed"), NOT_SIGNED, _always),
)  # fmt: skip


def fields(content: Any, path: Path = ()) -> Iterator[Path]:
    """The path of every field."""
    if isinstance(content, Mapping) and content:
        for key, part in content.items():
            yield from fields(part, (*path, key))
    elif isinstance(content, list) and content:
        for place, part in enumerate(content):
            yield from fields(part, (*path, place))
    else:
        yield path


def field_name(path: Path) -> str:
    """As a reader sees it: ``findings[2].sentence``."""
    parts = (f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)
    return "".join(parts).removeprefix(".")


def unchecked_fields(content: Content) -> dict[Path, str]:
    """The fields that cannot be checked from outside, each with the reason."""
    unchecked: dict[Path, str] = {}
    for path in fields(content):
        reasons = [
            reason
            for pattern, reason, condition in UNCHECKED
            if _matches(path, pattern) and condition(content, path)
        ]
        if reasons:
            unchecked[path] = reasons[0]
        elif not any(_matches(path, pattern) for pattern in CHECKED):
            known = any(_matches(path, pattern) for pattern, _, _ in UNCHECKED)
            unchecked[path] = GENERALIZED if known else OTHERS
    return unchecked


def _matches(path: Path, pattern: Path) -> bool:
    if pattern[-1] == REST:
        pattern = pattern[:-1]
        path = path[: len(pattern)]
    return len(path) == len(pattern) and all(
        wanted in (ANY, key) for key, wanted in zip(path, pattern, strict=True)
    )
