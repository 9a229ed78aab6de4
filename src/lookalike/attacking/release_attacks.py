"""The attacks that need only a release, by name.

Each attack is one module of this package. A new attack is a function from a view (or from a
released table and its policy) to findings with ``sentences``, and a line in ``ATTACKS``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from lookalike.attacking.release_view import ReleaseView
from lookalike.errors import Fault, PolicyError
from lookalike.tables.table import Table

ALL = "all"
KNOWS_PERSON = "The attacker knows the quasi-identifiers of a person who is in the release."
KNOWS_METHOD = "The attacker knows the policy, its hierarchies and the algorithm."


@dataclass(frozen=True, slots=True)
class AttackResult:
    """What one attack learned, in the form that all attacks share.

    Attributes
    ----------
    attack : str
        Its name.
    assumed : tuple of str
        What the attacker knows besides the release, in sentences.
    sentences : tuple of str
        What was learned, without cell values.
    largest_posterior : float
        The best chance of a guess at a value, where it beats what is published; 0 if nowhere, or if
        the attack is not about values.
    findings : Any
        The findings of the attack itself, with its numbers in total and for each class.

    Examples
    --------
    >>> import pyarrow as pa, lookalike as la
    >>> table = pa.table({"age": [31, 34, 58, 57], "ill": ["flu", "flu", "flu", "cold"]})
    >>> policy = la.Policy(
    ...     quasi_identifiers={"age": la.bands(10)}, sensitive="ill", require=la.KAnonymity(2)
    ... )
    >>> [skewness] = la.anonymize(table, policy).attacks("skewness")
    >>> skewness.findings.certain
    2
    """

    attack: str
    assumed: tuple[str, ...]
    sentences: tuple[str, ...]
    largest_posterior: float = 0.0
    findings: Any = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class ReleaseAttack:
    """One attack: where its function is, and what its attacker knows if the findings do not say."""

    function: str  # ``module:function`` in this room
    assumed: tuple[str, ...] = ()
    quick: bool = False  # does it take hardly any time?
    reads_table: bool = False  # does it look at the released table instead of a view of it?

    def load(self) -> Callable[..., Any]:
        """The function; its module is loaded only now."""
        module, name = self.function.split(":")
        loaded: Callable[..., Any] = getattr(import_module(f"lookalike.attacking.{module}"), name)
        return loaded


ATTACKS: Mapping[str, ReleaseAttack] = {
    "kept-columns": ReleaseAttack(
        "kept_column_linkage:attack_by_kept_columns",
        (KNOWS_PERSON, "The attacker also knows up to three kept columns of the person."),
        reads_table=True,
    ),
    "skewness": ReleaseAttack("skewness:attack_by_skewness", quick=True),
    "similarity": ReleaseAttack("similarity:attack_by_similarity", quick=True),
    "minimality": ReleaseAttack("minimality:attack_by_minimality"),
    "definetti": ReleaseAttack("definetti:attack_by_definetti"),
    "downcoding": ReleaseAttack("downcoding:attack_by_downcoding", (KNOWS_METHOD,)),
    "refinement": ReleaseAttack(
        "combinatorial_refinement:attack_by_combinatorial_refinement", (KNOWS_METHOD,)
    ),
}


def quick_attacks() -> tuple[str, ...]:
    """The attacks that take almost no time."""
    return tuple(name for name, attack in ATTACKS.items() if attack.quick)


def attack_names(by: str | Sequence[str]) -> tuple[str, ...]:
    """The attacks to run: all, one, or several. PolicyError for an unknown name."""
    names = tuple(ATTACKS) if by == ALL else (by,) if isinstance(by, str) else tuple(by)
    fix = f"use one of: {ALL}, {', '.join(ATTACKS)}; or give a list of people instead of by"
    faults = [
        Fault("by", f"there is no attack {name!r}", fix) for name in names if name not in ATTACKS
    ]
    if faults:
        raise PolicyError(faults)
    return names


def run_attacks(
    released: Table, view: ReleaseView, names: Sequence[str]
) -> tuple[AttackResult, ...]:
    """Run the attacks of these names on a release."""
    return tuple(_run(name, ATTACKS[name], released, view) for name in names)


def _run(name: str, attack: ReleaseAttack, released: Table, view: ReleaseView) -> AttackResult:
    findings = attack.load()(*((released, view.policy) if attack.reads_table else (view,)))
    return AttackResult(
        name,
        tuple(getattr(findings, "assumed", attack.assumed)),
        tuple(findings.sentences),
        float(getattr(findings, "largest_posterior", 0.0)),
        findings,
    )
