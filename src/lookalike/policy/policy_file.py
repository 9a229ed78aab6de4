"""Read and write policy files (TOML). All faults of a file are found before an error is raised."""

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
from lookalike.policy.hierarchies.policy_file_form import from_dict
from lookalike.policy.hierarchy import Hierarchy
from lookalike.policy.metric_names import metric_from, metric_to
from lookalike.policy.nine_models import model_from
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
LIMIT = "max_singled_out"
SPEND = ("metric", "suppress", "model")
SECTIONS = (
    "pseudonyms", "quasi_identifiers", "linking", "eligible", "accept", "population", "require",
    "spend", "conventions", "search",
)  # fmt: skip
COLUMN_SETTINGS = {  # keys that may accompany a hierarchy, and the parts of the policy they are
    "weight": "weights",
    "levels": "levels",
    "distort": "distort",
    "identifying": "identifying",
    "show": "show",
}

# What replaces a faulty part, so that the policy's own checks can run
NO_PSEUDONYMS: dict[str, Pseudonym] = {}
ANY_REQUIREMENT: tuple[Requirement, ...] = (KAnonymity(2),)
ANY_METRIC: Metric = Precision()

Section = Mapping[str, object]
Read = TypeVar("Read")


@dataclass(frozen=True, slots=True)
class PolicyFile:
    """The content of a policy file: the policy, and the settings of the search."""

    policy: Policy
    search: SearchSettings = field(default_factory=SearchSettings)


def load(path: str | PathLike[str]) -> PolicyFile:
    """Read a policy file; paths in it are relative to its folder."""
    path = Path(path)
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        fix = "check the path; lookalike init drafts a policy file for a table"
        raise PolicyError(Fault(str(path), f"cannot be read ({error.strerror})", fix)) from None
    except UnicodeDecodeError as error:
        raise PolicyError(
            Fault(str(path), f"not UTF-8 (byte {error.start})", "save the file as UTF-8")
        ) from None
    return loads(text, path.parent)


def loads(text: str, base: str | PathLike[str] = ".") -> PolicyFile:
    """Read a policy from TOML text; paths in it are relative to ``base``."""
    try:
        document: Section = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PolicyError(_syntax(str(error))) from None
    return _Reader(document, Path(base)).read()


def dumps(policy: Policy, search: SearchSettings | None = None) -> str:
    """A policy as TOML. Trees that came from a file are written as their path, as it was given."""
    columns: dict[str, object] = {}
    for name, hierarchy in policy.quasi_identifiers.items():
        column = dict(hierarchy.to_dict())
        for key, part in COLUMN_SETTINGS.items():
            if name in getattr(policy, part):
                column[key] = getattr(policy, part)[name]
        columns[name] = column
    spend = {"metric": metric_to(policy.metric), "suppress": policy.suppress}
    if policy.model is not None:
        spend["model"] = policy.model.name
    pseudonym_list, pseudonym_section = _pseudonyms(policy)
    parts: dict[str, Section] = {
        "": {role: getattr(policy, role) for role in ROLES} | pseudonym_list,
        **pseudonym_section,
        "quasi_identifiers": columns,
        "require": requirements_to(policy.require),
        "spend": spend,
        "conventions": asdict(policy.conventions),
    }
    if policy.max_singled_out is not None:
        parts[""] = {**parts[""], LIMIT: policy.max_singled_out}
    optional = {"linking": policy.linking, "eligible": policy.eligible, "accept": policy.accept}
    parts |= {name: section for name, section in optional.items() if section}
    if policy.population is not None:
        parts["population"] = policy.population.to_dict()
    if search is not None:
        settings = asdict(search).items()
        parts["search"] = {key: value for key, value in settings if value is not None}
    return "\n\n".join(toml_section(name, pairs) for name, pairs in parts.items()) + "\n"


def _pseudonyms(policy: Policy) -> tuple[dict[str, object], dict[str, Section]]:
    """A list of columns; or a section, if a column has settings of its own."""
    pseudonyms = policy.pseudonyms
    if all(pseudonym == Pseudonym() for pseudonym in pseudonyms.values()):
        return ({"pseudonyms": tuple(pseudonyms)} if pseudonyms else {}), {}
    settings = {name: pseudonym.to_dict() for name, pseudonym in pseudonyms.items()}
    return {}, {"pseudonyms": settings}


class _Reader:
    """Reads a document and collects its faults.

    Each faulty part is replaced by a valid one, so that the policy's own checks run too and
    everything is reported at once.
    """

    def __init__(self, document: Section, base: Path) -> None:
        self.document = document
        self.base = base
        self.faults: list[Fault] = []
        self._top_level()

    def read(self) -> PolicyFile:
        columns = self._section("quasi_identifiers")
        spend = self._section("spend", SPEND)
        metric = spend.get("metric", "precision")
        settings: dict[str, Any] = {
            part: self._setting(columns, key) for key, part in COLUMN_SETTINGS.items()
        }
        settings["levels"] = {  # the policy checks that they are pairs
            name: tuple(levels) if isinstance(levels, list) else ()
            for name, levels in settings["levels"].items()
        }
        settings |= {role: self._role(role) for role in ROLES}
        search = self._settings("search", SearchSettings)
        self.faults.extend(search.faults())
        if self.document.get("linking") == {}:
            fix = 'name sets in it, for example voters = ["zip", "sex"], or remove it'
            self.faults.append(Fault("linking", "the section is empty", fix))
        policy = self._try(
            lambda: Policy(
                quasi_identifiers={name: self._hierarchy(name) for name in columns},
                require=self._try(
                    lambda: requirements_from(self._section("require"), self.base),
                    ANY_REQUIREMENT,
                ),
                population=self._try(
                    lambda: population_from(self._section("population"), self.base), None
                ),
                suppress=spend.get("suppress", 0),  # type: ignore[arg-type]  # the policy checks it
                metric=self._try(lambda: metric_from(metric), ANY_METRIC, "spend"),
                linking=self._section("linking"),  # type: ignore[arg-type]  # the policy checks it
                eligible=self._section("eligible"),  # type: ignore[arg-type]
                accept=self._section("accept"),  # type: ignore[arg-type]
                max_singled_out=self.document.get(LIMIT),  # type: ignore[arg-type]
                model=self._try(
                    lambda: model_from(spend["model"]) if "model" in spend else None, None, "spend"
                ),
                conventions=self._settings("conventions", Conventions),
                pseudonyms=self._try(
                    lambda: pseudonyms_from(self.document.get("pseudonyms", ())), NO_PSEUDONYMS
                ),
                **settings,
            ),
            None,
        )
        if self.faults or policy is None:
            raise PolicyError(dict.fromkeys(self.faults))
        return PolicyFile(policy, search)

    def _top_level(self) -> None:
        """Unknown keys at the top; a key that belongs to a section is a fault that names it."""
        homes: dict[str, Container[str]] = {
            "require": REQUIREMENTS,
            "spend": SPEND,
            "search": _names(SearchSettings),
            "conventions": _names(Conventions),
        }
        for fault in unknown_keys("", self.document, (*ROLES, LIMIT, *SECTIONS)):
            home = next((name for name, keys in homes.items() if fault.where in keys), None)
            fix = f"write it below the line [{home}]" if home else fault.fix
            self.faults.append(replace(fault, fix=fix))

    def _try(self, build: Callable[[], Read], default: Read, under: str = "") -> Read:
        """What is built; or the default, if there are faults, which are collected."""
        try:
            return build()
        except PolicyError as error:
            for fault in error.faults:
                where = f"{under}.{fault.where}" if under else _place(fault.where)
                self.faults.append(Fault(where, fault.problem, fault.fix, fault.values))
            return default

    def _section(self, name: str, allowed: tuple[str, ...] | None = None) -> Section:
        section = self.document.get(name, {})
        if not isinstance(section, Mapping):
            self.faults.append(Fault(name, "not a section", f"write [{name}] on a line of its own"))
            return {}
        if allowed is not None:
            self.faults.extend(unknown_keys(name, section, allowed))
        return section

    def _settings(self, name: str, kind: Callable[..., Read]) -> Read:
        """A section of simple values with known keys."""
        known = _names(kind)
        section = self._section(name, known)
        return kind(**{key: value for key, value in section.items() if key in known})

    def _role(self, role: str) -> tuple[str, ...]:
        given = self.document.get(role, [])
        names = [given] if isinstance(given, str) else given
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            self.faults.append(Fault(role, "not a list of columns", f'use {role} = ["column"]'))
            return ()
        return tuple(names)

    def _hierarchy(self, name: str) -> Hierarchy:
        where = f"quasi_identifiers.{name}"
        spec = self._section("quasi_identifiers")[name]
        hierarchy = None
        if isinstance(spec, Mapping):
            beside = tuple(COLUMN_SETTINGS)
            hierarchy = self._try(lambda: from_dict(spec, self.base, where, beside), None)
        else:
            fix = "name a hierarchy, for example { flat = true } or { bands = [5, 10, 20] }"
            self.faults.append(Fault(where, "not a hierarchy", fix))
        return hierarchy or from_dict({"flat": True})

    def _setting(self, columns: Section, key: str) -> dict[str, Any]:
        """A setting that accompanies the hierarchies of single columns."""
        return {
            name: spec[key]
            for name, spec in columns.items()
            if isinstance(spec, Mapping) and key in spec
        }


def _names(kind: Callable[..., object]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))  # type: ignore[arg-type]


def _place(where: str) -> str:
    """The place in the file of what the policy calls ``weights.age``."""
    part, _, rest = where.partition(".")
    keys = {part: key for key, part in COLUMN_SETTINGS.items()}
    if part in keys and rest:
        return f"quasi_identifiers.{rest}.{keys[part]}"
    return f"spend.{where}" if part in ("suppress", "metric", "model") else where


def _syntax(message: str) -> Fault:
    place = re.search(r" \(at (?:line ([0-9]+), column [0-9]+|end of document)\)$", message)
    line = f"line {place[1]}" if place and place[1] else "end of the file"
    problem = message[: place.start()] if place else message
    return Fault(line, f"not TOML: {problem}", "fix the line; texts and unusual names need quotes")
