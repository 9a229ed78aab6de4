"""What a form holds, read into parts of a policy document; what makes no sense is left to the
policy's own reader, which says what is wrong in the words of the command line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.datastructures import FormData

from lookalike.policy.hierarchies.tree_file import parse_rows

Spec = dict[str, Any]
RULES: Mapping[str, tuple[str, str, Mapping[str, str], str]] = {
    # what a page offers: the file's name for it, its number, what else is said, and in words
    "max_risk": ("max_risk", "", {}, "highest risk, as 0.09"),
    "average_risk": ("average_risk", "", {}, "average risk, as 0.05"),
    "distinct": ("l_diversity", "l", {"kind": "distinct"}, "l-diversity, distinct, as 3"),
    "entropy": ("l_diversity", "l", {"kind": "entropy"}, "l-diversity, by entropy, as 2.5"),
    "equal": ("t_closeness", "t", {"distance": "equal"}, "t-closeness, as 0.3"),
    "ordered": ("t_closeness", "t", {"distance": "ordered"}, "t-closeness of ordered values"),
    "beta": ("beta_likeness", "beta", {"kind": "basic"}, "β-likeness, as 1"),
    "delta": ("delta_disclosure", "delta", {}, "δ-disclosure, as 1.5"),
}
TOP = "top"  # the coarsest level, whichever number that is
SLOTS = 4  # rules beside k that a page has room for


def text(form: FormData, name: str) -> str:
    given = form.get(name, "")
    return given.strip() if isinstance(given, str) else ""


def number(given: str) -> Any:
    """A number if it is one; anything else stays as typed, for the reader to complain of."""
    for read in (int, float):
        try:
            return read(given.strip())
        except ValueError:
            continue
    return given.strip()


def numbers(given: str) -> list[Any]:
    return [number(one) for one in given.replace(";", ",").split(",") if one.strip()]


def allowance(given: str) -> Any:
    """``2%`` and ``0.02`` are a share, ``200`` is rows."""
    if given.endswith("%"):
        share = number(given[:-1])
        return share / 100 if isinstance(share, int | float) else given
    return number(given) if given else 0


def hierarchy(form: FormData, sent: bytes | None = None) -> Spec:
    """What is said of a column; ``sent`` is a file with its tree."""
    spec: Spec = {}
    match text(form, "kind"):
        case "bands":
            spec = {"bands": numbers(text(form, "widths"))}
            if start := text(form, "start"):
                spec["start"] = number(start)
        case "prefix":
            spec = {"prefix": True}
            if steps := text(form, "steps"):
                spec["steps"] = numbers(steps)
            if text(form, "hide") == "left":
                spec["hide"] = "left"
        case "dates":
            spec = {"dates": True}
            spec |= {name: True for name in ("days", "quarters") if text(form, name)}
            if written := text(form, "format"):
                spec["format"] = written
        case "ordered":
            spec = {
                "ordered": [one for one in map(str.strip, text(form, "order").splitlines()) if one]
            }
            if steps := text(form, "order_widths"):
                spec["widths"] = numbers(steps)
        case "tree":
            typed = sent.decode("utf-8-sig", "replace") if sent else text(form, "tree")
            rows = parse_rows(typed, "the tree")
            spec = {"tree": [[cell.strip() for cell in row] for row in rows]}
        case "flat":
            spec = {"flat": True}
    return spec | _beside(form)


def _beside(form: FormData) -> Spec:
    """Bounds and weight, if they are not what they would be anyway."""
    found: Spec = {}
    finest, coarsest = text(form, "finest"), text(form, "coarsest")
    if coarsest or finest not in ("", "0"):
        found["levels"] = [number(finest or "0"), number(coarsest) if coarsest else TOP]
    if (weight := text(form, "weight")) not in ("", "1", "1.0"):
        found["weight"] = number(weight)
    return found


def required(form: FormData, before: Mapping[str, Any]) -> Spec:
    """The requirements; those that the page has no room for stay as they were."""
    section: Spec = {"k_anonymity": number(text(form, "k"))}
    for slot in range(SLOTS):
        rule = RULES.get(text(form, f"rule_{slot}"))
        if rule is None:
            continue
        key, main, more, _ = rule
        value = number(text(form, f"number_{slot}"))
        if main:
            spec = {"column": text(form, f"column_{slot}"), main: value, **more}
            section.setdefault(key, []).append(spec)
        else:
            section[key] = value
    kept = {key: one for key, one in before.items() if key not in section and key not in OFFERED}
    return section | kept


def rules_of(section: Mapping[str, Any]) -> list[tuple[str, str, Any]]:
    """As the form shows them: which, of what column, how much."""
    found: list[tuple[str, str, Any]] = []
    for name, (key, main, more, _) in RULES.items():
        given = section.get(key)
        if not main and given is not None:
            found.append((name, "", given))
        elif main and given is not None:
            for spec in given if isinstance(given, list) else [given]:
                said = {"kind": "distinct"} if key == "l_diversity" else {}
                said |= {"distance": "equal"} if key == "t_closeness" else {}
                if all((said | dict(spec)).get(k, v) == v for k, v in more.items()):
                    found.append((name, spec.get("column", ""), spec.get(main, "")))
    return found


def candidates(form: FormData, document: Mapping[str, Any]) -> list[tuple[Any, str]]:
    """Every k with every algorithm that is to be tried."""
    first = document["require"].get("k_anonymity", 2)
    also: Sequence[Any] = numbers(text(form, "also_k"))
    ks = list(dict.fromkeys([first, *also]))
    names = [one for one in form.getlist("also_by") if isinstance(one, str)]
    main = document.get("search", {}).get("by", "auto")
    return [(k, by) for k in ks for by in dict.fromkeys([main, *names])]


OFFERED = {key for key, *_ in RULES.values()} | {"k_anonymity", "anonymity_level"}
