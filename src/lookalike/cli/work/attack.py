"""Attack a release as an outsider would, and show how far one gets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lookalike import api
from lookalike.attacking.linking_attack import LinkingAttack
from lookalike.cli.input.column_list import split_assignment, split_columns
from lookalike.cli.input.table_address import Address, open_place
from lookalike.cli.output import layout as show
from lookalike.cli.output.attack import attack_report
from lookalike.cli.terminal.terminal import Terminal
from lookalike.errors import Fault, PolicyError, ReleaseRefused
from lookalike.policy.policy_file import load
from lookalike.tables.table import Table

LISTED = 20  # people


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, as typed."""

    on: Sequence[str]
    sensitive: Sequence[str] | None
    policy: Path | None
    before: Path | Address | None
    also: Path | Address | None
    name: str | None
    fail_above: float | None


def attack_release(
    terminal: Terminal, release: Path | Address, outsiders: Path | Address, question: Question
) -> None:
    opened, people = open_place(release), open_place(outsiders)
    on = _pairs(question.on, opened.columns)
    sensitive = question.sensitive
    with terminal.doing("Looking people up"):
        found = api.attack(
            opened,
            people,
            on,
            policy=None if question.policy is None else load(question.policy).policy,
            sensitive=None if sensitive is None else split_columns(sensitive, opened.columns),
            before=_opened(question.before),
            also=_opened(question.also),
            name=question.name,
            show=LISTED if terminal.show_values else 0,
        )
    terminal.document |= facts(found, show_values=terminal.show_values)
    terminal.answer(*attack_report(found, policy=question.policy is not None))
    if question.fail_above is not None and found.certainty > question.fail_above:
        raise ReleaseRefused(_above(found, question.fail_above))


def _opened(place: Path | Address | None) -> Table | None:
    return None if place is None else open_place(place)


def _pairs(typed: Sequence[str], columns: Sequence[str]) -> dict[str, str]:
    """``age,zip=plz``: the release's name to the attacker's."""
    pairs: dict[str, str] = {}
    twice = []
    for one in split_columns(typed, columns):
        halves = None if one in columns else split_assignment(one, columns)
        ours, theirs = halves or (one, one)
        if ours in pairs:
            twice.append(Fault(f"--on {ours}", "the column is named twice", "name it once"))
        pairs[ours] = theirs
    if twice:
        raise PolicyError(twice)
    return pairs


def facts(found: LinkingAttack, *, show_values: bool) -> dict[str, Any]:
    """As JSON has it; people only if values may be shown."""
    document = asdict(found)
    document["on"] = dict(found.on)
    document["certainty"] = found.certainty
    for order, one in zip(document["order"], found.order, strict=True):
        order["gives_away"] = one.gives_away
    people = document.pop("singled_out")
    if show_values:
        document["singled_out"] = [
            one | {"known": dict(one["known"]), "learned": dict(one["learned"])} for one in people
        ]
    return document


def _above(found: LinkingAttack, limit: float) -> list[Fault]:
    """Which of the chances are above the limit."""
    chances = {"a person's row is found": found.after.best}
    for one in found.after.learned:
        chances[f"a person's {one.column} is told"] = one.certainty
    if found.together is not None:
        chances[f"with {found.together.table} beside it, a person is found or a value told"] = (
            found.together.certainty
        )
    fix = "recode more (a larger k), ask for diverse values (l-diversity), or drop a column"
    return [
        Fault("--fail-above", f"{what} with a chance of {show.percent(chance)}", fix)
        for what, chance in chances.items()
        if chance > limit
    ]
