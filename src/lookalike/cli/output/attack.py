"""An attack, to read: who is found, what would be learned, and what else gives people away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from lookalike.cli.output import class_sizes as show_alike
from lookalike.cli.output import layout as show
from lookalike.cli.terminal.safe_text import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import RenderableType

    from lookalike.attacking.joint_releases import Together
    from lookalike.attacking.linking_attack import LinkingAttack
    from lookalike.attacking.record_linkage import Linked
    from lookalike.attacking.row_order import RowOrder
    from lookalike.attacking.sensitive_inference import Learned
    from lookalike.attacking.singled_out_people import SingledOut


def attack_report(found: LinkingAttack, *, policy: bool) -> list[RenderableType]:
    """All of it."""
    after = found.after
    known = [ours if ours == theirs else f"{ours} ({theirs})" for ours, theirs in found.on]
    title = (
        f"{clean(after.table)}, {show.plural(after.rows, 'row')}, attacked with "
        f"{clean(found.outsiders)}, {_people(after.people)}, by {show.listed(known)}"
    )
    return [
        *show.section(title, headline(after), *_warnings(found, policy=policy)),
        *(show.section("Before and after", beside(found.before, after)) if found.before else []),
        *show.section("How many rows fit a person", histogram(after)),
        *learning(found),
        *(show.section("Order of the rows", *map(order, found.order)) if found.order else []),
        *(beside_another(found.together) if found.together else []),
        *(people(found.singled_out, after.one_row) if found.singled_out else []),
    ]


def headline(linked: Linked) -> Text:
    """The one sentence to remember."""
    unsure = any(one.labels for one in linked.not_understood)
    good = "bold yellow" if unsure else "bold green"
    far = ", as far as labels were understood" if unsure else ""
    if not linked.fewest:
        return Text(f"No row fits any of these people{far}.", style=good)
    if linked.one_row:
        text = Text(f"{_people(linked.one_row)} found", style="bold red")
        share = show.percent(linked.one_row / linked.people)
        text.append(f" ({share}): just one row fits. ", style="not bold default")
        said = "nobody" if not linked.certain else "all" if linked.certain == linked.one_row else ""
        said = said or f"{linked.certain:,}"
        return text.append(
            f"Of them, {said} for certain: the row fits nobody else on the list.",
            style="not bold default",
        )
    text = Text(f"Nobody is found{far}.", style=good)
    return text.append(
        f" Whoever is looked up fits {linked.fewest:,} rows or more, or none: the best guess at "
        f"a person's row is right with a chance of 1 in {linked.fewest:,}.",
        style="not bold default",
    )


def _warnings(found: LinkingAttack, *, policy: bool) -> list[RenderableType]:
    """What makes the attack look weaker than it is."""
    said = []
    for one in found.after.not_understood:
        if one.labels:
            fix = "is it the policy of this release?" if policy else "give --policy."
            said.append(
                f"{clean(one.column)}: not understood: {show.plural(one.labels, 'label')}, in "
                f"{show.plural(one.rows, 'row')}; {fix} They fit nobody, or fewer than they "
                "cover, so the attack looks weaker than it is."
            )
        if one.unread:
            said.append(
                f"{clean(one.column)}: the policy cannot place "
                f"{show.plural(one.unread, 'distinct value')} of {clean(found.outsiders)}; such "
                "people are found by equal values alone."
            )
    if found.both_have:
        said.append(
            f"Both tables also have {show.listed(found.both_have)}: with --on, an attacker could "
            "use that too."
        )
    return [Text(one, style="yellow") for one in said]


def histogram(linked: Linked) -> RenderableType:
    bars = ((one, one.people) for one in linked.histogram)
    return show_alike.histogram(("rows", "people"), bars, linked.people, one="1")


def beside(before: Linked, after: Linked) -> RenderableType:
    """The two tables, number by number."""
    table = show.ruled("", clean(before.table), clean(after.table), right=(1, 2))
    both = (before, after)
    for what, numbers in (
        ("rows", (f"{one.rows:,}" for one in both)),
        ("people whom no row fits", (f"{one.nobody:,}" for one in both)),
        ("people whom one row fits", (f"{one.one_row:,}" for one in both)),
        ("  for certain", (f"{one.certain:,}" for one in both)),
        ("chance to find a row, highest", (show.percent(one.best) for one in both)),
        ("chance to find a row, average", (show.percent(one.mean) for one in both)),
    ):
        table.add_row(Text(what), *(Text(number) for number in numbers))
    return table


def learning(found: LinkingAttack) -> list[RenderableType]:
    """Sensitive columns, and the same before."""
    if not found.after.learned:
        return []
    before = {one.column: one for one in found.before.learned} if found.before else {}
    table = show.ruled(
        "column", "all alike", "over 90%", "doubled", "surest", "gain", "ratio",
        right=range(1, 7),
    )  # fmt: skip
    for one in found.after.learned:
        if one.column in before:
            table.add_row(Text(f"{clean(one.column)}, before"), *_numbers(before[one.column]))
            table.add_row(Text("  after"), *_numbers(one))
        else:
            table.add_row(Text(clean(one.column)), *_numbers(one))
    notes = (
        "People, of those whom any row fits: all their rows hold one value (all alike); a value "
        "holds more than 90% of them (over 90%); a value is at least twice as frequent there as "
        "in the whole table (doubled). Then the largest share of a value among a person's rows "
        "(surest), and how far a share is above that in the whole table: by points (gain), by "
        "times (ratio)."
    )
    title = "What would be learned"
    return show.section(title, table, show.BLANK, Text(notes, style="dim"))


def _numbers(one: Learned) -> list[Text]:
    return [
        Text(f"{one.homogeneous:,}", style="red" if one.homogeneous else ""),
        Text(f"{one.nearly_sure:,}"),
        Text(f"{one.doubled:,}"),
        Text(show.percent(one.certainty) if one.certainty else "–"),
        Text(f"{100 * one.largest_gain:.1f}"),
        Text(f"{one.largest_ratio:,.1f}"),
    ]


def order(one: RowOrder) -> Text:
    """Does row i go with row i?"""
    fit = (
        f"{one.fit:,} of {show.plural(one.rows, 'row')} fit the row in the same place of "
        f"{clean(one.table)}; in a random order {one.expected:,.1f} would."
    )
    if one.gives_away:
        text = Text("Row order gives people away: ", style="bold red")
        return text.append(f"{fit} Sort or shuffle the release.", style="not bold default")
    if one.sorted:
        return Text(f"The rows are sorted: their order says nothing that the cells do not. {fit}")
    return Text(f"The order of the rows gives nobody away: {fit}")


def beside_another(both: Together) -> list[RenderableType]:
    """Two releases held together."""
    lines: list[RenderableType] = [
        Text(
            f"Rows of both fit {_people(both.people)}, by {show.listed(both.on)}. Of those, if "
            "they are in both and cells outside these columns were kept as they are:"
        ),
        show.BLANK,
    ]
    table = show.ruled("", "people", right=(1,))
    for one in both.values:
        name = clean(one.column)
        table.add_row(Text(f"{name}: one value left by holding both"), _red(one.one_left))
        table.add_row(Text(f"{name}: no value in common (not in both)"), _red(one.none_left, ""))
    table.add_row(Text("one row left by holding both"), _red(both.one_row))
    lines.append(table)
    if both.kept:
        rows = show.plural(both.matched_rows, "row")
        told = f"{rows} can be matched for certain through {show.listed(both.kept)}."
        if both.fewest:
            told += f" At the least, {show.plural(both.fewest, 'row')} is left to a person."
            told = told.replace("rows is left", "rows are left")
        lines += [show.BLANK, Text(told)]
    return show.section(f"Together with {clean(both.table)}", *lines)


def _red(count: int, style: str = "red") -> Text:
    return Text(f"{count:,}", style=style if count else "")


def people(found: Sequence[SingledOut], count: int) -> list[RenderableType]:
    """By name, where values may be shown."""
    columns = [clean(column) for column, _ in found[0].learned]
    table = show.ruled("person", "certain", *columns)
    for one in found:
        who = one.name if one.name is not None else ", ".join(_cells(one.known))
        sure = Text("yes" if one.certain else "no")
        table.add_row(Text(clean(who)), sure, *(Text(cell) for cell in _cells(one.learned)))
    more = count - len(found)
    rest = [Text(f"and {more:,} more", style="dim")] if more > 0 else []
    return show.section("Found, and what is learned of them", table, *rest)


def _cells(cells: Iterable[tuple[str, str | None]]) -> list[str]:
    return ["–" if cell is None else clean(cell) for _, cell in cells]


def _people(count: int) -> str:
    return f"{count:,} {'person' if count == 1 else 'people'}"
