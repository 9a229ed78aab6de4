"""What the data holder asks: roles of the columns, the promise, and what may be spent on it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any

from lookalike.cost.metric import Metric
from lookalike.cost.precision import Precision
from lookalike.errors import Fault, PolicyError
from lookalike.policy.cell_display import INTERVAL, show_faults
from lookalike.policy.column_sets import (
    Linking,
    is_share,
    linking_faults,
    linking_from,
    twice_faults,
)
from lookalike.policy.conventions import Conventions
from lookalike.policy.hierarchies.flat import flat
from lookalike.policy.hierarchy import Hierarchy
from lookalike.policy.metric_names import metric_from
from lookalike.policy.nine_models import Model, model_from
from lookalike.policy.population import Population
from lookalike.policy.pseudonym import Pseudonym, pseudonyms_from
from lookalike.policy.requirement_faults import rule_faults
from lookalike.privacy.requirement import Requirement

BY_CLASSES = ("discernibility", "classification", "class-size")  # metrics that need one set
IDENTIFYING = "0 (not), 1 (most), 2 (more) or 3 (identifying)"  # μ-Argus's own order
DICTS = (
    "quasi_identifiers", "weights", "levels", "linking", "distort", "identifying", "show",
    "eligible",
)  # fmt: skip


@dataclass(frozen=True, slots=True, init=False)
class Policy:
    """Every column has a role; a column without one is a fault, because it would be the leak.

    ``identifiers`` are dropped. ``pseudonyms`` are identifiers that stay joinable: a secret key
    gives each value another in its place. ``quasi_identifiers`` are recoded along their
    hierarchies. ``sensitive`` and ``insensitive`` columns are kept as they are. ``suppress`` is how
    many rows may be left out: a share (a float from 0 to 1) or a number of rows (an int).
    ``levels`` bounds a column: the finest and the coarsest level allowed. ``model`` says what may
    be generalized and suppressed at all; without one, each algorithm follows its own, within
    ``suppress``.

    ``linking`` groups the quasi-identifiers into sets that must each be safe on their own, with the
    likelihood of each column to be used for linking. ``distort``, from 0 to 1, is how much
    distortion of a column can be tolerated (Datafly reads it), and ``identifying``, from 0 to 3,
    how identifying it is (μ-Argus reads it). ``show`` may say ``"interval"`` of a column of numbers
    or days: a coarser cell then shows the true interval of its class. ``eligible`` names columns
    and the values that a row must have there to be released at all. ``population`` is a table of
    everybody, or a ``Population`` with a column of counts: k-map and δ-presence need it.
    """

    quasi_identifiers: Mapping[str, Hierarchy]
    require: tuple[Requirement, ...]
    identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    insensitive: tuple[str, ...]
    suppress: float | int
    metric: Metric
    weights: Mapping[str, float]
    levels: Mapping[str, tuple[int, int]]
    conventions: Conventions
    model: Model | None
    linking: Linking
    distort: Mapping[str, float]
    identifying: Mapping[str, int]
    show: Mapping[str, str]
    eligible: Mapping[str, tuple[str, ...]]
    population: Population | None
    pseudonyms: Mapping[str, Pseudonym]

    def __init__(
        self,
        *,
        quasi_identifiers: Mapping[str, Hierarchy],
        require: Requirement | Iterable[Requirement],
        identifiers: str | Iterable[str] = (),
        sensitive: str | Iterable[str] = (),
        insensitive: str | Iterable[str] = (),
        suppress: float = 0,
        metric: Metric | str | None = None,
        weights: Mapping[str, float] | None = None,
        levels: Mapping[str, tuple[int, int]] | None = None,
        conventions: Conventions | None = None,
        model: Model | str | Mapping[str, str] | None = None,
        linking: Mapping[str, Iterable[str] | Mapping[str, float]] | None = None,
        distort: Mapping[str, float] | None = None,
        identifying: Mapping[str, int] | None = None,
        show: Mapping[str, str] | None = None,
        eligible: Mapping[str, str | Iterable[str]] | None = None,
        population: Any = None,
        pseudonyms: str | Iterable[str] | Mapping[str, Any] = (),
    ) -> None:
        """Takes one rule or several, a list or a tuple, a metric or a model or its name."""
        keyed, found = _keyed(pseudonyms)
        given = {
            "quasi_identifiers": quasi_identifiers,
            "require": _several(require),
            "identifiers": _several(identifiers),
            "sensitive": _several(sensitive),
            "insensitive": _several(insensitive),
            "suppress": suppress,
            "metric": metric_from(metric) if isinstance(metric, str) else metric or Precision(),
            "weights": {} if weights is None else weights,
            "levels": {} if levels is None else levels,
            "conventions": conventions or Conventions(),
            "model": None if model is None else model_from(model),
            "linking": linking_from({} if linking is None else linking),
            "distort": {} if distort is None else distort,
            "identifying": {} if identifying is None else identifying,
            "show": {} if show is None else show,
            "eligible": {} if eligible is None else eligible,
            "population": population
            if population is None or isinstance(population, Population)
            else Population(population),
            "pseudonyms": keyed,
        }
        for name, value in given.items():
            object.__setattr__(self, name, value)
        found += self._type_faults()
        if found:
            raise PolicyError(found)
        for name in DICTS:
            object.__setattr__(self, name, dict(getattr(self, name)))
        allowed = {name: _several(values) for name, values in self.eligible.items()}
        object.__setattr__(self, "eligible", allowed)
        limit: object = suppress
        if not isinstance(limit, bool | float) and isinstance(limit, Integral):
            object.__setattr__(self, "suppress", int(limit))  # numpy's ints too
        found = self._own_faults() + twice_faults(linking or {})
        if found:
            raise PolicyError(found)

    @property
    def names(self) -> tuple[str, ...]:
        """The quasi-identifiers, in the order given."""
        return tuple(self.quasi_identifiers)

    @property
    def kept(self) -> tuple[str, ...]:
        """Columns that go out as they are."""
        return self.sensitive + self.insensitive

    @property
    def smallest(self) -> int:
        """No released class may be smaller than this."""
        return max((rule.smallest for rule in self.require), default=1)

    @property
    def by_size(self) -> bool:
        """Is nothing required but that classes have ``smallest`` rows?"""
        return all(rule.by_size for rule in self.require)

    @property
    def required_columns(self) -> tuple[str, ...]:
        """The sensitive columns that something is required of."""
        return tuple(dict.fromkeys(name for rule in self.require for name in rule.columns))

    @property
    def hierarchies(self) -> Mapping[str, Hierarchy]:
        """How each quasi-identifier may get coarser: only to ``*`` if nothing is generalized."""
        if self.model is not None and self.model.generalize == "none":
            return dict.fromkeys(self.quasi_identifiers, flat())
        return self.quasi_identifiers

    def level_bounds(self, name: str, height: int) -> tuple[int, int]:
        """The finest and the coarsest level of a column whose hierarchy has this height."""
        if self.model is not None and self.model.name == "TS":
            return 0, 0
        return self.levels.get(name, (0, height))

    @property
    def interval_columns(self) -> tuple[str, ...]:
        """Columns whose coarser cells show the true interval of their class."""
        return tuple(name for name in self.names if self.show.get(name) == INTERVAL)

    @property
    def keeps_stars(self) -> bool:
        """Is a ``*`` suppressed on purpose, by cell or by column, so that no interval is told?"""
        return self.model is not None and self.model.suppress in ("cell", "attribute")

    @property
    def sets(self) -> tuple[tuple[str, ...], ...]:
        """The sets of columns that must each keep the requirement: one of all, if none is named."""
        if not self.linking:
            return (self.names,)
        return tuple(
            tuple(name for name in self.names if columns.get(name))
            for columns in self.linking.values()
        )

    def allowance(self, rows: int) -> int:
        """How many rows may be suppressed: a share means floor(share · rows) rows."""
        if isinstance(self.suppress, int):
            return min(self.suppress, rows)
        return math.floor(self.suppress * rows + 1e-9)  # 0.29 * 100 is 28.999999999999996

    def faults(self, columns: Iterable[str]) -> list[Fault]:
        """What does not fit a table with these columns."""
        present = list(columns)
        found = []
        for role, names in [*self._roles(), ("eligible", tuple(self.eligible))]:
            for name in names:
                if name not in present:
                    found.append(
                        Fault(
                            f"{role}.{name}",
                            "the table has no such column",
                            f"use one of: {', '.join(present) or '(the table has no columns)'}",
                        )
                    )
        with_role = {name for _, names in self._roles() for name in names}
        for name in present:
            if name not in with_role:
                found.append(
                    Fault(
                        name,
                        "this column of the table has no role",
                        "add it to quasi_identifiers (recoded), identifiers (dropped), pseudonyms "
                        "(keyed), sensitive or insensitive (kept)",
                    )
                )
        return found

    def _roles(self) -> list[tuple[str, tuple[str, ...]]]:
        return [
            ("quasi_identifiers", self.names),
            ("identifiers", self.identifiers),
            ("pseudonyms", tuple(self.pseudonyms)),
            ("sensitive", self.sensitive),
            ("insensitive", self.insensitive),
        ]

    def _type_faults(self) -> list[Fault]:
        """Parts that are not even of the right kind, as a class in place of an instance."""
        found = []
        for name in DICTS:
            if not isinstance(getattr(self, name), Mapping):
                example = '{"voters": ["zip", "sex"]}' if name == "linking" else '{"age": …}'
                found.append(Fault(name, "not a dict", f"give a dict, as {example}"))
        parts: list[tuple[str, object, type, str]] = [
            ("metric", self.metric, Metric, "Loss()"),
            ("conventions", self.conventions, Conventions, 'Conventions(nulls="refuse")'),
            *(("require", rule, Requirement, "KAnonymity(5)") for rule in self.require),
        ]
        for where, part, kind, example in parts:
            if isinstance(part, type) or not isinstance(part, kind):
                shown = part.__name__ if isinstance(part, type) else type(part).__name__
                found.append(Fault(where, f"{shown} will not do", f"give one as {example}"))
        return found

    def _own_faults(self) -> list[Fault]:
        """What is wrong whatever the table."""
        found = list(self.conventions.faults())
        if not self.quasi_identifiers:
            found.append(
                Fault(
                    "quasi_identifiers",
                    "there is none",
                    "name the columns an outsider could know, each with a hierarchy",
                )
            )
        if not self.require:
            found.append(
                Fault("require", "nothing is required", "ask for something, as KAnonymity(5)")
            )
        seen: dict[str, str] = {}
        for role, names in self._roles():
            for name in names:
                if name in seen:
                    where = (
                        f"twice in {role}" if seen[name] == role else f"in {seen[name]} and {role}"
                    )
                    found.append(Fault(name, f"the column is {where}", "give it one role"))
                seen[name] = role
        given: Mapping[str, object] = self.quasi_identifiers
        for name, hierarchy in given.items():
            if not isinstance(hierarchy, Hierarchy):
                found.append(
                    Fault(
                        f"quasi_identifiers.{name}",
                        f"{type(hierarchy).__name__} is not a hierarchy",
                        "use bands, prefix, dates, tree, ordered or flat",
                    )
                )
        found.extend(self._number_faults())
        found.extend(self._column_faults())
        found.extend(linking_faults(self.linking, self.names))
        found.extend(self._model_faults())
        found.extend(self._class_column_faults())
        found.extend(rule_faults(self))
        return found

    def _class_column_faults(self) -> list[Fault]:
        """The class column is kept as it is, so it cannot be recoded or dropped as well."""
        column = self.metric.class_column
        if column is None or column in self.kept:
            return []
        for names, role, part in (
            (self.names, "a quasi-identifier, which is recoded", "quasi_identifiers"),
            (self.identifiers, "an identifier, which is dropped", "identifiers"),
            (self.pseudonyms, "a pseudonym, which is keyed", "pseudonyms"),
        ):
            if column in names:
                problem = f"the class column {column} is {role}, and it cannot be both"
                fix = f"name another column, or move it from {part} to sensitive or insensitive"
                return [Fault("metric.column", problem, fix)]
        problem = f"the class column {column} is not among the kept columns"
        return [Fault("metric.column", problem, "put it under sensitive or insensitive")]

    def _model_faults(self) -> list[Fault]:
        """What the model, or several sets, do not go with."""
        found = []
        if self.model is not None and not self.model.rows_may_go and self.suppress:
            fix = "set suppress = 0, or use model AG_TS or TS"
            problem = f"model {self.model.name} leaves out no rows"
            found.append(Fault("suppress", problem, fix))
        if self.model is not None and self.model.generalize == "none" and self.levels:
            fix = "leave the levels out, or use a model that generalizes"
            problem = f"levels are bounded, and model {self.model.name} generalizes nothing"
            found.append(Fault("model", problem, fix))
        one_set = len(self.linking) < 2 and self.sets == (self.names,)
        found += show_faults(self.show, self.quasi_identifiers, self.levels, self.model, one_set)
        if not one_set and self.metric.name in BY_CLASSES:
            fix = "use precision, loss, loss-geometric, entropy or height"
            problem = f"{self.metric.name} counts the classes of one quasi-identifier, not of sets"
            found.append(Fault("metric", problem, fix))
        for name, values in self.eligible.items():
            if not values or not all(isinstance(value, str) for value in values):
                fix = 'list values as text, as {"consent": ["yes"]}'
                found.append(Fault(f"eligible.{name}", "not a list of values", fix))
        return found

    def _column_faults(self) -> list[Fault]:
        """Numbers that are given for single columns."""
        found = []
        for part, fix, fits in (
            ("distort", "use 0 (leave it alone) to 1 (distort it freely)", is_share),
            ("identifying", f"use {IDENTIFYING}", _is_identifying),
        ):
            for name, given in getattr(self, part).items():
                if name not in self.quasi_identifiers:
                    known = f"use one of: {', '.join(self.names)}"
                    found.append(Fault(f"{part}.{name}", "not a quasi-identifier", known))
                elif not fits(given):
                    size = "a number from 0 to 1" if part == "distort" else "0, 1, 2 or 3"
                    found.append(Fault(f"{part}.{name}", f"not {size}", fix))
        return found

    def _number_faults(self) -> list[Fault]:
        found = []
        limit = self.suppress
        if isinstance(limit, bool) or not isinstance(limit, int | float):
            found.append(Fault("suppress", "not a number", "use a share (0.02) or rows (200)"))
        elif isinstance(limit, float) and not 0 <= limit <= 1:
            found.append(
                Fault(
                    "suppress",
                    f"the share {limit} is not from 0 to 1",
                    "use a share as 0.02, or an int for rows",
                )
            )
        elif isinstance(limit, int) and limit < 0:
            found.append(Fault("suppress", f"{limit} rows", "use 0 or more rows"))
        for name, weight in self.weights.items():
            if name not in self.quasi_identifiers:
                found.append(
                    Fault(
                        f"weights.{name}",
                        "not a quasi-identifier",
                        f"use one of: {', '.join(self.names)}",
                    )
                )
            elif (
                isinstance(weight, bool)
                or not isinstance(weight, int | float)
                or not 0 <= weight < math.inf
            ):
                found.append(
                    Fault(f"weights.{name}", "not a number from 0 up", "use a weight as 2.0")
                )
        if self.weights and not any(self.weights.get(name, 1.0) for name in self.names):
            found.append(Fault("weights", "all are 0", "give at least one column a weight above 0"))
        for name, bounds in self.levels.items():
            if name not in self.quasi_identifiers:
                found.append(
                    Fault(
                        f"levels.{name}",
                        "not a quasi-identifier",
                        f"use one of: {', '.join(self.names)}",
                    )
                )
            elif (
                not isinstance(bounds, tuple | list)
                or len(bounds) != 2
                or not all(isinstance(b, int) and not isinstance(b, bool) for b in bounds)
                or not 0 <= bounds[0] <= bounds[1]
            ):
                found.append(
                    Fault(
                        f"levels.{name}",
                        "not a pair of levels, finest first",
                        "use levels as (1, 3)",
                    )
                )
        return found


def _is_identifying(given: object) -> bool:
    return isinstance(given, int) and not isinstance(given, bool) and 0 <= given <= 3


def _keyed(given: object) -> tuple[dict[str, Pseudonym], list[Fault]]:
    try:
        return pseudonyms_from(given), []
    except PolicyError as error:
        return {}, list(error.faults)


def _several(given: Any) -> tuple[Any, ...]:
    """One or more, as a tuple; whether they are of the right kind is seen later."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        return (given,)
    return tuple(given)
