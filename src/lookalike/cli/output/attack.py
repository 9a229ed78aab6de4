"""The report of an attack: who is found, what would be learned, what else singles people out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import RenderableType
from rich.text import Text

import lookalike as la
from lookalike import api
from lookalike.cli.output import class_sizes as show_alike
from lookalike.cli.output import layout as show
from lookalike.cli.terminal.safe_text import clean


def attack_report(attack: la.LinkingAttack, *, policy: bool) -> list[RenderableType]:
    """All sections of the report."""
    after = attack.after
    known = [ours if ours == theirs else f"{ours} ({theirs})" for ours, theirs in attack.on]
    title = (
        f"{clean(after.table)} ({show.plural(after.rows, 'row')}) attacked with "
        f"{clean(attack.outsiders)} ({show.people(after.people)}), on {show.listed(known)}"
    )
    parts = show.section(title, headline(after), *_warnings(attack, policy=policy))
    if attack.before:
        parts += show.section("Before and after", before_and_after(attack.before, after))
    parts += show.section("How many rows match a person", histogram(after))
    parts += learning(attack)
    if attack.order:
        parts += show.section("Row order", *map(row_order, attack.order))
    if attack.together:
        parts += joint_attack(attack.together)
    if attack.singled_out:
        parts += people(attack.singled_out, after.one_row)
    return parts


def headline(linked: api.LinkageResult) -> Text:
    """The one sentence to remember."""
    unsure = any(column.labels for column in linked.not_understood)
    good = "bold yellow" if unsure else "bold green"
    caveat = ", as far as the labels were understood" if unsure else ""
    if not linked.fewest:
        return Text(f"No row matches any of these people{caveat}.", style=good)
    if linked.one_row:
        share = show.percent(linked.one_row / linked.people)
        certain = "all" if linked.certain == linked.one_row else f"{linked.certain:,}"
        rest = (
            f" ({share}): exactly one row matches. Certain for {certain} of them: the row matches "
            "nobody else in the list."
        )
        return show.led(f"{show.people(linked.one_row)} found", "bold red", rest)
    rest = (
        f" Each person matches {linked.fewest:,} rows or more, or none: the best guess at a "
        f"person's row is right with a chance of 1 in {linked.fewest:,}."
    )
    return show.led(f"Nobody is found{caveat}.", good, rest)


def _warnings(attack: la.LinkingAttack, *, policy: bool) -> list[RenderableType]:
    """What makes the attack look weaker than it is."""
    warnings = []
    for unread in attack.after.not_understood:
        column = clean(unread.column)
        if unread.labels:
            fix = "Is this the policy of the release?" if policy else "Give the --policy."
            warnings.append(
                f"{column}: {show.plural(unread.labels, 'label')} in "
                f"{show.plural(unread.rows, 'row')} could not be interpreted. {fix} These rows "
                "match nobody, or too few people, so the attack looks weaker than it is."
            )
        if unread.unread:
            warnings.append(
                f"{column}: {show.plural(unread.unread, 'distinct value')} of "
                f"{clean(attack.outsiders)} are not in the hierarchy of the policy. These people "
                "are matched only by equal values."
            )
    if attack.both_have:
        warnings.append(
            f"Both tables also have {show.listed(attack.both_have)}. An attacker could match by "
            "more columns: add them to --on."
        )
    return [Text(warning, style="yellow") for warning in warnings]


def histogram(linked: api.LinkageResult) -> RenderableType:
    bars = ((bar.least, bar.most, bar.people) for bar in linked.histogram)
    return show_alike.histogram(("rows", "people"), bars, linked.people, one="1")


def before_and_after(before: api.LinkageResult, after: api.LinkageResult) -> RenderableType:
    both = (before, after)
    measures = (
        ("rows", (f"{linked.rows:,}" for linked in both)),
        ("people matched by no row", (f"{linked.nobody:,}" for linked in both)),
        ("people matched by one row", (f"{linked.one_row:,}" for linked in both)),
        ("  for certain", (f"{linked.certain:,}" for linked in both)),
        ("chance to find a row, highest", (show.percent(linked.best) for linked in both)),
        ("chance to find a row, average", (show.percent(linked.mean) for linked in both)),
    )
    return show.before_and_after(before.table, after.table, measures)


def learning(attack: la.LinkingAttack) -> list[RenderableType]:
    """What would be learned about sensitive columns, and the same before."""
    if not attack.after.learned:
        return []
    before = {one.column: one for one in attack.before.learned} if attack.before else {}
    table = show.ruled(
        "column", "all equal", "over 90%", "doubled", "largest", "gain", "ratio",
        right=range(1, 7),
    )  # fmt: skip
    for learned in attack.after.learned:
        column = clean(learned.column)
        if learned.column in before:
            table.add_row(f"{column}, before", *_numbers(before[learned.column]))
            column = "  after"
        table.add_row(column, *_numbers(learned))
    notes = (
        "Among the people matched by some row, the number for whom: all matching rows have one "
        "value (all equal); a value has more than 90% of them (over 90%); a value is at least "
        "twice as frequent as in the whole table (doubled). Then the largest share of a value "
        "among a person's rows (largest), and how much larger a share is than in the whole "
        "table: by percentage points (gain), as a factor (ratio)."
    )
    return show.section("What would be learned", table, show.BLANK, show.dim(notes))


def _numbers(learned: api.Inference) -> list[RenderableType]:
    return [
        _count(learned.homogeneous),
        f"{learned.nearly_sure:,}",
        f"{learned.doubled:,}",
        show.percent(learned.certainty) if learned.certainty else "–",
        f"{100 * learned.largest_gain:.1f}",
        f"{learned.largest_ratio:,.1f}",
    ]


def row_order(order: api.RowOrder) -> Text:
    """Does the position of a row reveal the person?"""
    matches = (
        f"{order.fit:,} of {show.plural(order.rows, 'row')} match the row at the same position of "
        f"{clean(order.table)}; {order.expected:,.1f} would match in a random order."
    )
    if order.gives_away:
        rest = f"{matches} Sort or shuffle the release."
        return show.led("The row order reveals people: ", "bold red", rest)
    if order.sorted:
        return Text(f"The rows are sorted, so their order reveals nothing new. {matches}")
    return Text(f"The row order reveals nobody: {matches}")


def joint_attack(both: api.JointFindings) -> list[RenderableType]:
    """What two releases reveal together."""
    condition = (
        f"{show.people(both.people)} match rows of both releases, on {show.listed(both.on)}. "
        "If they are in both, and cells outside these columns were kept unchanged:"
    )
    table = show.ruled("", "people", right=(1,))
    for values in both.values:
        name = clean(values.column)
        table.add_row(f"{name}: only one value is in both", _count(values.one_left))
        none = f"{values.none_left:,}"
        table.add_row(f"{name}: no value is in both (person is not in both)", none)
    table.add_row("only one row is left", _count(both.one_row))
    lines: list[RenderableType] = [Text(condition), show.BLANK, table]
    if both.kept:
        rows = show.plural(both.matched_rows, "row")
        sentence = f"{rows} can be matched for certain through {show.listed(both.kept)}."
        if both.fewest:
            sentence += f" Fewest rows left for a person: {both.fewest:,}."
        lines += [show.BLANK, Text(sentence)]
    return show.section(f"Together with {clean(both.table)}", *lines)


def _count(count: int) -> Text:
    """A number that should be 0."""
    return Text(f"{count:,}", style="red" if count else "")


def people(found: Sequence[api.SingledOut], count: int) -> list[RenderableType]:
    """The people who are found, by name; only where values may be shown."""
    columns = [clean(column) for column, _ in found[0].learned]
    table = show.ruled("person", "certain", *columns)
    for person in found:
        name = person.name if person.name is not None else ", ".join(_cells(person.known))
        certain = "yes" if person.certain else "no"
        table.add_row(clean(name), certain, *_cells(person.learned))
    more = count - len(found)
    rest = [show.dim(f"and {more:,} more")] if more > 0 else []
    return show.section("People found, and what is learned about them", table, *rest)


def _cells(cells: Iterable[tuple[str, str | None]]) -> list[str]:
    return ["–" if cell is None else clean(cell) for _, cell in cells]
