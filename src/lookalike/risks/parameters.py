"""The options of a risk measurement, checked: threshold, population size, sets of columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real

from lookalike.counts.frequency_set import FrequencySet
from lookalike.errors import Fault, PolicyError
from lookalike.risks.attacker_models import THRESHOLD
from lookalike.risks.column_sets.column_subsets import affordable_size


@dataclass(frozen=True, slots=True)
class RiskOptions:
    """The options of ``la.risk``."""

    threshold: float = THRESHOLD
    population_size: int | None = None
    sampling_fraction: float | None = None
    combinations: bool | int = False  # True: sets of up to 4 columns, if that takes seconds

    def __post_init__(self) -> None:
        if faults := [fault for fault in self._faults() if fault]:
            raise PolicyError(faults)

    def size(self, counts: FrequencySet) -> int:
        """The number of columns in the largest sets to examine; 0 for none."""
        return affordable_size(counts) if self.combinations is True else int(self.combinations)

    def people(self, rows: int) -> int | None:
        """The number of people from which the table was drawn, if it was given."""
        people = self.population_size
        if self.sampling_fraction is not None:
            people = max(rows, round(rows / self.sampling_fraction))
        if people is not None and people < rows:
            problem = f"{people:,} people are fewer than the {rows:,} rows of the table"
            fix = "give at least as many people as rows"
            raise PolicyError(Fault("population_size", problem, fix))
        return people

    def _faults(self) -> tuple[Fault | None, ...]:
        fraction, people = self.sampling_fraction, self.population_size
        both = None
        if fraction is not None and people is not None:
            problem = "both are given, and each determines the other"
            both = Fault("population_size, sampling_fraction", problem, "give one of them")
        return (
            _share("threshold", self.threshold),
            None if fraction is None else _share("sampling_fraction", fraction),
            None if people is None else _whole("population_size", people, 1),
            _whole("combinations", self.combinations, 0),
            both,
        )


def named_columns(columns: Sequence[str]) -> tuple[str, ...]:
    """The columns, each once. A text is a fault: it would be read letter by letter."""
    if isinstance(columns, str) or not columns:
        fix = 'name columns, for example ["age", "zip"]'
        raise PolicyError(Fault("columns", "not a list of columns", fix))
    return tuple(dict.fromkeys(columns))


def _share(where: str, given: object) -> Fault | None:
    if isinstance(given, Real) and 0 < float(given) <= 1:  # false for NaN
        return None
    return Fault(where, "not a number above 0, up to 1", "use for example 0.5")


def _whole(where: str, given: object, least: int) -> Fault | None:
    if isinstance(given, Integral) and int(given) >= least:
        return None
    return Fault(where, f"not a whole number, {least} or more", "use for example 1000")
