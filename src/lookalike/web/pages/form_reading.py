"""Forms read into parts of the policy document.

Input that makes no sense is passed on as typed: the reader of the policy reports it with the same
messages as on the command line.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.datastructures import FormData

from lookalike import api
from lookalike.registry import HIERARCHIES, REQUIREMENTS
from lookalike.words import REQUIREMENTS as REQUIREMENT_TERMS

Spec = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Rule:
    """A requirement that the page offers."""

    key: str  # in the policy file
    example: str
    number: str = ""  # key of its number, for a rule about one column
    variant: str = ""
    fixed: Mapping[str, str] = field(default_factory=dict)  # what the file says of the variant

    @property
    def label(self) -> str:
        known = REQUIREMENT_TERMS.get(self.key)
        name = known.name if known else REQUIREMENTS.load(self.key).name
        variant = f", {self.variant}" if self.variant else ""
        return f"{name}{variant} (for example {self.example})"


BUILT_IN_RULES: Mapping[str, Rule] = {
    "max_risk": Rule("max_risk", "0.09"),
    "average_risk": Rule("average_risk", "0.05"),
    "distinct": Rule("l_diversity", "3", "l", "distinct", {"kind": "distinct"}),
    "entropy": Rule("l_diversity", "2.5", "l", "entropy", {"kind": "entropy"}),
    "equal": Rule("t_closeness", "0.3", "t", "", {"distance": "equal"}),
    "ordered": Rule("t_closeness", "0.2", "t", "ordered values", {"distance": "ordered"}),
    "beta": Rule("beta_likeness", "1", "beta", "", {"kind": "basic"}),
    "delta": Rule("delta_disclosure", "1.5", "delta"),
}
TOP = "top"  # the coarsest level, before its number is known
RULE_SLOTS = 4  # rules on the page, besides k


def rules() -> dict[str, Rule]:
    """The requirements that the page offers: of other packages, those with a single number."""
    added = {}
    for key, kind in REQUIREMENTS.usable().items():
        other_keys = [name for name in kind.required_keys if name != "column"]
        single = not kind.required_keys or ("column" in kind.required_keys and len(other_keys) == 1)
        if REQUIREMENTS.package(key) and single:
            added[key] = Rule(key, kind.example, *other_keys)
    return {**BUILT_IN_RULES, **added}


def is_offered(key: str) -> bool:
    """Can the page show this key of the section [require]?"""
    return key in ("k_anonymity", "anonymity_level") or any(
        rule.key == key for rule in rules().values()
    )


def text(form: FormData, name: str) -> str:
    value = form.get(name, "")
    return value.strip() if isinstance(value, str) else ""


def accepted(form: FormData) -> dict[str, str]:
    """The reason for each kept column that is accepted."""
    columns, reasons = form.getlist("accept_column"), form.getlist("accept_reason")
    given = zip(columns, reasons, strict=False)
    return {str(name): str(reason).strip() for name, reason in given if str(reason).strip()}


def number(typed: str) -> Any:
    """A number, or the text as typed if it is none."""
    for read in (int, float):
        try:
            return read(typed.strip())
        except ValueError:
            continue
    return typed.strip()


def numbers(typed: str) -> list[Any]:
    return [number(part) for part in typed.replace(";", ",").split(",") if part.strip()]


def allowance(typed: str) -> Any:
    """``2%`` and ``0.02`` are a share, ``200`` is a number of rows."""
    if typed.endswith("%"):
        share = number(typed[:-1])
        return share / 100 if isinstance(share, int | float) else typed
    return number(typed) if typed else 0


def hierarchy(form: FormData, tree_file: bytes | None = None) -> Spec:
    """The hierarchy of a column, with its limits of levels and its weight."""
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
            if pattern := text(form, "format"):
                spec["format"] = pattern
        case "ordered":
            lines = map(str.strip, text(form, "order").splitlines())
            spec = {"ordered": [line for line in lines if line]}
            if steps := text(form, "order_widths"):
                spec["widths"] = numbers(steps)
        case "tree":
            typed = tree_file.decode("utf-8-sig", "replace") if tree_file else text(form, "tree")
            rows = api.parse_tree_rows(typed, "the tree")
            spec = {"tree": [[cell.strip() for cell in row] for row in rows]}
        case "flat":
            spec = {"flat": True}
        case added if added in HIERARCHIES:  # of another package, typed as TOML
            spec = _toml(text(form, f"spec_{added}")) or {added: text(form, f"spec_{added}")}
    return spec | _column_options(form)


def _toml(typed: str) -> Spec:
    try:
        return tomllib.loads(typed)
    except tomllib.TOMLDecodeError:
        return {}


def _column_options(form: FormData) -> Spec:
    """Limits of levels and weight, unless they are the defaults."""
    options: Spec = {}
    finest, coarsest = text(form, "finest"), text(form, "coarsest")
    if coarsest or finest not in ("", "0"):
        options["levels"] = [number(finest or "0"), number(coarsest) if coarsest else TOP]
    if (weight := text(form, "weight")) not in ("", "1", "1.0"):
        options["weight"] = number(weight)
    return options


def requirements(form: FormData, earlier: Mapping[str, Any]) -> Spec:
    """The section [require]; earlier requirements that the page does not offer stay."""
    offered = rules()
    section: Spec = {"k_anonymity": number(text(form, "k"))}
    for slot in range(RULE_SLOTS):
        rule = offered.get(text(form, f"rule_{slot}"))
        if rule is None:
            continue
        value = number(text(form, f"number_{slot}"))
        if rule.number:
            spec = {"column": text(form, f"column_{slot}"), rule.number: value, **rule.fixed}
            section.setdefault(rule.key, []).append(spec)
        else:
            section[rule.key] = value
    return section | {key: value for key, value in earlier.items() if not is_offered(key)}


def rules_of(section: Mapping[str, Any]) -> list[tuple[str, str, Any]]:
    """The rules of a section [require] as the form shows them: rule, column, number."""
    shown: list[tuple[str, str, Any]] = []
    for name, rule in rules().items():
        value = section.get(rule.key)
        if value is None:
            continue
        if not rule.number:
            shown.append((name, "", value))
            continue
        for spec in value if isinstance(value, list) else [value]:
            implied = {"kind": "distinct"} if rule.key == "l_diversity" else {}
            implied |= {"distance": "equal"} if rule.key == "t_closeness" else {}
            if all((implied | dict(spec)).get(k, v) == v for k, v in rule.fixed.items()):
                shown.append((name, spec.get("column", ""), spec.get(rule.number, "")))
    return shown


def candidates(form: FormData, document: Mapping[str, Any]) -> list[tuple[Any, str]]:
    """Each k with each algorithm that shall be tried."""
    first = document["require"].get("k_anonymity", 2)
    ks = dict.fromkeys([first, *numbers(text(form, "also_k"))])
    main = document.get("search", {}).get("by", "auto")
    others = [name for name in form.getlist("also_by") if isinstance(name, str)]
    return [(k, by) for k in ks for by in dict.fromkeys([main, *others])]
