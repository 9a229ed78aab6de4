"""Policy files: TOML in, policy out, and back; every fault of the file is found before raising."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Container, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from lookalike.cost.metric import Metric
from lookalike.cost.precision import Precision
from lookalike.errors import Fault, PolicyError
from lookalike.name_suggestions import unknown_keys
from lookalike.policy.conventions import Conventions
from lookalike.policy.hierarchies.flat import flat
from lookalike.policy.hierarchies.policy_file_form import from_dict
from lookalike.policy.hierarchy import Hierarchy
from lookalike.policy.metric_names import metric_from, metric_to
from lookalike.policy.nine_models import Model, model_from
from lookalike.policy.policy import Policy
from lookalike.policy.population import population_from
from lookalike.policy.pseudonym import Pseudonym, pseudonyms_from
from lookalike.policy.requirement_names import requirements_from, requirements_to
from lookalike.policy.search_settings import SearchSettings
from lookalike.policy.toml_writer import toml_section
from lookalike.privacy.k_anonymity import KAnonymity
from lookalike.privacy.requirement import Requirement
from lookalike.registry import REQUIREMENTS

__all__ = ["PolicyFile", "SearchSettings", "dumps", "from_dict", "load", "loads", "metric_from"]

ROLES = ("identifiers", "sensitive", "insensitive")
SPEND = ("metric", "suppress", "model")
SECTIONS = (
    "pseudonyms", "quasi_identifiers", "linking", "eligible", "population", "require", "spend",
    "conventions", "search",
)  # fmt: skip
BESIDE = {
    "weight": "weights",
    "levels": "levels",
    "distort": "distort",
    "identifying": "identifying",
    "show": "show",
}

STAND_IN: Hierarchy = flat()
NOBODY: dict[str, Pseudonym] = {}
RULES: tuple[Requirement, ...] = (KAnonymity(2),)
PRECISION: Metric = Precision()

Section = Mapping[str, object]
Read = TypeVar("Read")


@dataclass(frozen=True, slots=True)
class PolicyFile:
    """What a policy file holds."""

    policy: Policy
    search: SearchSettings = field(default_factory=SearchSettings)


def load(path: str | PathLike[str]) -> PolicyFile:
    """Read a policy file; paths in it are relative to it."""
    path = Path(path)
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        fix = "check the path; lookalike init drafts a policy file from a table"
        raise PolicyError(Fault(str(path), f"cannot be read ({error.strerror})", fix)) from None
    except UnicodeDecodeError as error:
        raise PolicyError(
            Fault(str(path), f"not UTF-8 (byte {error.start})", "save the file as UTF-8")
        ) from None
    return loads(text, path.parent)


def loads(text: str, base: str | PathLike[str] = ".") -> PolicyFile:
    """Read a policy from TOML; paths in it are relative to ``base``."""
    try:
        document: Section = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PolicyError(_syntax(str(error))) from None
    return _Reader(document, Path(base)).read()


def dumps(policy: Policy, search: SearchSettings | None = None) -> str:
    """Write a policy as TOML. Trees that came from a file are written as their path, as given."""
    columns: dict[str, object] = {}
    for name, hierarchy in policy.quasi_identifiers.items():
        column = dict(hierarchy.to_dict())
        for key, part in BESIDE.items():
            given = getattr(policy, part)
            if name in given:
                column[key] = given[name]
        columns[name] = column
    spend = {"metric": metric_to(policy.metric), "suppress": policy.suppress}
    if policy.model is not None:
        spend["model"] = policy.model.name
    listed, formed = _pseudonyms(policy)
    parts: dict[str, Section] = {
        "": {role: getattr(policy, role) for role in ROLES} | listed,
        **formed,
        "quasi_identifiers": columns,
        "require": requirements_to(policy.require),
        "spend": spend,
        "conventions": asdict(policy.conventions),
    }
    if policy.linking:
        parts["linking"] = policy.linking
    if policy.eligible:
        parts["eligible"] = policy.eligible
    if policy.population is not None:
        parts["population"] = policy.population.to_dict()
    if search is not None:
        given = asdict(search).items()
        parts["search"] = {key: value for key, value in given if value is not None}
    return "\n\n".join(toml_section(name, pairs) for name, pairs in parts.items()) + "\n"


def _pseudonyms(policy: Policy) -> tuple[dict[str, object], dict[str, Section]]:
    """A list of columns, unless something is to be said of one: then a section."""
    asked = policy.pseudonyms
    if all(one == Pseudonym() for one in asked.values()):
        return ({"pseudonyms": tuple(asked)} if asked else {}), {}
    return {}, {"pseudonyms": {name: one.to_dict() for name, one in asked.items()}}


class _Reader:
    """One pass over a document. Faults pile up, and a stand-in takes each faulty place, so that
    the policy's own checks run too and everything is reported at once.
    """

    def __init__(self, document: Section, base: Path) -> None:
        self.document = document
        self.base = base
        self.found: list[Fault] = []
        self._top_level()

    def read(self) -> PolicyFile:
        columns = self._section("quasi_identifiers")
        spend = self._section("spend", SPEND)
        metric = spend.get("metric", "precision")
        search = self._settings("search", SearchSettings)
        self.found.extend(search.faults())
        if self.document.get("linking") == {}:
            fix = 'name sets in it, as voters = ["zip", "sex"], or leave it out'
            self.found.append(Fault("linking", "the section is empty", fix))
        policy = self._try(
            lambda: Policy(
                quasi_identifiers={name: self._hierarchy(name) for name in columns},
                require=self._try(
                    lambda: requirements_from(self._section("require"), self.base), RULES
                ),
                population=self._try(
                    lambda: population_from(self._section("population"), self.base), None
                ),
                suppress=spend.get("suppress", 0),  # type: ignore[arg-type]  # the policy checks it
                metric=self._try(lambda: metric_from(metric), PRECISION, "spend"),
                weights=self._beside(columns, "weight"),
                levels=self._levels(columns),
                distort=self._beside(columns, "distort"),
                identifying=self._beside(columns, "identifying"),
                show=self._beside(columns, "show"),
                linking=self._section("linking"),  # type: ignore[arg-type]  # the policy checks it
                eligible=self._section("eligible"),  # type: ignore[arg-type]
                model=self._try(lambda: _model(spend), None, "spend"),
                conventions=self._settings("conventions", Conventions),
                pseudonyms=self._try(
                    lambda: pseudonyms_from(self.document.get("pseudonyms", ())), NOBODY
                ),
                **{role: self._role(role) for role in ROLES},
            ),
            None,
        )
        if self.found or policy is None:
            raise PolicyError(dict.fromkeys(self.found))
        return PolicyFile(policy, search)

    def _top_level(self) -> None:
        """A key that stands outside its section is told which one it belongs to."""
        homes: dict[str, Container[str]] = {
            "require": REQUIREMENTS,
            "spend": SPEND,
            "search": _names(SearchSettings),
        }
        homes["conventions"] = _names(Conventions)
        for fault in unknown_keys("", self.document, (*ROLES, *SECTIONS)):
            home = next((name for name, keys in homes.items() if fault.where in keys), None)
            fix = f"write it below the line [{home}]" if home else fault.fix
            self.found.append(replace(fault, fix=fix))

    def _try(self, build: Callable[[], Read], stand_in: Read, under: str = "") -> Read:
        try:
            return build()
        except PolicyError as error:
            for fault in error.faults:
                where = f"{under}.{fault.where}" if under else _place(fault.where)
                self.found.append(Fault(where, fault.problem, fault.fix, fault.values))
            return stand_in

    def _section(self, name: str, allowed: tuple[str, ...] | None = None) -> Section:
        section = self.document.get(name, {})
        if not isinstance(section, Mapping):
            self.found.append(Fault(name, "not a section", f"write [{name}] on a line of its own"))
            return {}
        if allowed is not None:
            self.found.extend(unknown_keys(name, section, allowed))
        return section

    def _settings(self, name: str, kind: Callable[..., Read]) -> Read:
        """A section that is a flat record of known keys."""
        known = _names(kind)
        section = self._section(name, known)
        return kind(**{key: value for key, value in section.items() if key in known})

    def _role(self, role: str) -> tuple[str, ...]:
        given = self.document.get(role, [])
        names = [given] if isinstance(given, str) else given
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            self.found.append(Fault(role, "not a list of columns", f'use {role} = ["column"]'))
            return ()
        return tuple(names)

    def _hierarchy(self, name: str) -> Hierarchy:
        where = f"quasi_identifiers.{name}"
        spec = self._section("quasi_identifiers")[name]
        if not isinstance(spec, Mapping):
            fix = "name a hierarchy, as { flat = true } or { bands = [5, 10, 20] }"
            self.found.append(Fault(where, "not a hierarchy", fix))
            return STAND_IN
        return self._try(
            lambda: from_dict(spec, base=self.base, where=where, beside=tuple(BESIDE)),
            STAND_IN,
        )

    def _beside(self, columns: Section, key: str) -> dict[str, Any]:
        """What is said of single columns beside their hierarchies."""
        return {
            name: spec[key]
            for name, spec in columns.items()
            if isinstance(spec, Mapping) and key in spec
        }

    def _levels(self, columns: Section) -> dict[str, tuple[int, int]]:
        levels = {}
        for name, spec in columns.items():
            if isinstance(spec, Mapping) and "levels" in spec:
                given = spec["levels"]
                levels[name] = tuple(given) if isinstance(given, list) else ()  # the policy checks
        return levels


def _names(kind: Callable[..., object]) -> tuple[str, ...]:
    return tuple(one.name for one in fields(kind))  # type: ignore[arg-type]


def _place(where: str) -> str:
    """Where the file says what the policy calls ``weights.age``."""
    part, _, rest = where.partition(".")
    keys = {part: key for key, part in BESIDE.items()}
    if part in keys and rest:
        return f"quasi_identifiers.{rest}.{keys[part]}"
    return f"spend.{where}" if part in ("suppress", "metric", "model") else where


def _model(spend: Section) -> Model | None:
    return model_from(spend["model"]) if "model" in spend else None


def _syntax(message: str) -> Fault:
    place = re.search(r" \(at (?:line ([0-9]+), column [0-9]+|end of document)\)$", message)
    line = f"line {place[1]}" if place and place[1] else "end of the file"
    problem = message[: place.start()] if place else message
    return Fault(line, f"not TOML: {problem}", "mend the line; text and odd names need quotes")
