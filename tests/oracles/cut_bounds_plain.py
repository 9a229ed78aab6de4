"""The bounds of ``docs/explanation/cut-proofs.md`` once more, row by row and word for word.

And what they are bounds of: every recoding of a tiny table, counted. Plain Python that shares no
code with the package; only the last part hands the same tables to it. The nouns:

row       the places of its values, a column each, from 0, and its label
cut       (column, place): parts the values before the place from the others
group     of a hierarchy: a run of places, (begin, end)
node      which cuts of the other columns are in, and which are open
interval  (i, j) of the long column: the places from i to before j
"""

import itertools
import math
import random
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

INF = math.inf


@dataclass(frozen=True)
class Tiny:
    """A table to cut, and what is asked of it. Level 0 of a column is its values, the last all."""

    rows: tuple[tuple[int, ...], ...]
    labels: tuple[str, ...]
    levels: tuple[tuple[tuple[int, ...], ...], ...]  # column, level: where a group ends
    low: tuple[int, ...]
    high: tuple[int, ...]
    siblings: bool
    k: int
    suppress: int
    metric: str

    @property
    def limit(self):
        return min(self.suppress, len(self.rows) - 1)

    @property
    def widths(self):
        return [levels[0][-1] for levels in self.levels]

    @property
    def cuts(self):
        return [(a, p) for a, width in enumerate(self.widths) for p in range(1, width)]

    def cuts_besides(self, long):
        return [cut for cut in self.cuts if cut[0] != long]

    def needs(self, cut):
        """The two around the smallest group that a cut parts, but for the ends of the column."""
        column, place = cut
        if not self.siblings:
            return set()
        for ends in self.levels[column]:
            if place not in ends:
                begin = max((end for end in ends if end < place), default=0)
                end = min(end for end in ends if end > place)
                return {(column, p) for p in (begin, end) if 0 < p < self.widths[column]}
        raise AssertionError("no level has both values in one group")

    def with_needs(self, cuts):
        """Cuts, and all that come with them."""
        found, waiting = set(), list(cuts)
        while waiting:
            cut = waiting.pop()
            if cut not in found:
                found.add(cut)
                waiting += self.needs(cut)
        return found

    def root(self, long):
        """The cuts of the other columns that are in and those that are open, to begin with."""
        made = self.with_needs(self.forced)
        still_open = {cut for cut in self.cuts if not self.with_needs({cut}) & self.forbidden}
        return (
            {cut for cut in made if cut[0] != long},
            {cut for cut in still_open - made if cut[0] != long},
        )

    def making(self, cut, made, still_open):
        """The node where a cut is in."""
        added = self.with_needs({cut})
        return made | added, still_open - added

    def leaving(self, cut, made, still_open):
        """The node where a cut is out."""
        return made, {other for other in still_open if cut not in self.with_needs({other})}

    def allows(self, cuts):
        """Is it a recoding of this policy?"""
        return (
            cuts >= self.forced
            and not cuts & self.forbidden
            and all(self.needs(cut) <= cuts for cut in cuts)
        )

    @cached_property
    def forced(self):
        return {cut for cut in self.cuts if cut[1] in self.levels[cut[0]][self.high[cut[0]]]}

    @cached_property
    def forbidden(self):
        return {cut for cut in self.cuts if cut[1] not in self.levels[cut[0]][self.low[cut[0]]]}

    @cached_property
    def recodings(self):
        """All that the policy allows: (cuts, suppressed rows, cost)."""
        free = [cut for cut in self.cuts if cut not in self.forced | self.forbidden]
        found = []
        for number in range(len(free) + 1):
            for some in itertools.combinations(free, number):
                cuts = self.forced | set(some)
                if self.allows(cuts):
                    found.append((cuts, *self.outcome(cuts)))
        return found

    @cached_property
    def optimum(self):
        return min((cost for _, gone, cost in self.recodings if gone <= self.limit), default=INF)

    def outcome(self, cuts):
        classes = classes_of(range(len(self.rows)), self, cuts)
        gone = sum(len(one) for one in classes if len(one) < self.k)
        return gone, sum(self.cost(one) for one in classes)

    # --- the page's own words -------------------------------------------------------------------

    def cost(self, members):
        """C of a class or cell."""
        n = len(members)
        if self.metric == "discernibility":
            return n * n if n >= self.k else n * len(self.rows)
        return self.minority(members) if n >= self.k else n

    def most(self, members):
        return max(Counter(self.labels[row] for row in members).values(), default=0)

    def minority(self, members):
        return len(members) - self.most(members)

    def made(self, v, cell, atoms):
        """M_v; None if v does not part the cell."""
        left, right = sides(self, cell, v)
        if not left or not right:
            return None
        if self.metric == "discernibility":
            apart = least_squares(len(left), self) + least_squares(len(right), self)
            return max(apart, sum(len(atom) * max(len(atom), self.k) for atom in atoms))
        both = self.cost(left) + self.cost(right)
        if len(cell) < 2 * self.k:
            return both
        each = sum(self.minority(atom) for atom in atoms)
        lost = sum(self.most(side) for side in (left, right) if len(side) < self.k)
        return min(both, each + lost)


def interval_of(cuts, column, place):
    return sum(p <= place for a, p in cuts if a == column)


def classes_of(rows, tiny, cuts):
    """Rows that no cut parts."""
    found = {}
    for row in rows:
        shown = [interval_of(cuts, a, place) for a, place in enumerate(tiny.rows[row])]
        found.setdefault(tuple(shown), []).append(row)
    return list(found.values())


def sides(tiny, rows, cut):
    column, place = cut
    left = [row for row in rows if tiny.rows[row][column] < place]
    return left, [row for row in rows if tiny.rows[row][column] >= place]


def least_squares(n, tiny):
    """G: for each number of suppressed rows, the others in as many equal parts as may be."""
    found = INF
    for suppressed in range(n + 1):
        m = n - suppressed
        if m == 0 or m >= tiny.k:
            parts = max(1, m // tiny.k)
            squares = sum((m // parts + (part < m % parts)) ** 2 for part in range(parts))
            found = min(found, suppressed * len(tiny.rows) + squares)
    return found


def bounds(tiny, long, made, still_open, interval, cuts=()):
    """f, the rows in cells under k, and the f_v of some cuts, within one interval."""
    i, j = interval
    f, lost, f_with = 0, 0, dict.fromkeys(cuts, 0)
    for members in classes_of(range(len(tiny.rows)), tiny, made):
        if len(members) < tiny.k:
            continue
        cell = [row for row in members if i <= tiny.rows[row][long] < j]
        atoms = [
            [row for row in atom if i <= tiny.rows[row][long] < j]
            for atom in classes_of(members, tiny, made | still_open)
        ]
        lost += len(cell) if len(cell) < tiny.k else 0
        parted = {v: tiny.made(v, cell, atoms) for v in still_open}
        least = min([tiny.cost(cell), *(cost for cost in parted.values() if cost is not None)])
        f += least
        for v in f_with:
            f_with[v] += least if parted[v] is None else parted[v]
    return f, lost, f_with


def within(tiny, long, made, cuts, interval):
    """What the classes of k or more under some cuts cost in an interval, cut by more of them.

    And how many of their rows are suppressed there.
    """
    i, j = interval
    cost, suppressed = 0, 0
    for members in classes_of(range(len(tiny.rows)), tiny, made):
        if len(members) >= tiny.k:
            cell = [row for row in members if i <= tiny.rows[row][long] < j]
            for one in classes_of(cell, tiny, cuts):
                cost += tiny.cost(one)
                suppressed += len(one) if len(one) < tiny.k else 0
    return cost, suppressed


def bound_of_node(tiny, long, made, still_open):
    """The shortest path over f. With no cut open, by the cheapest way that keeps to the limit."""
    gone = gone_anyway(tiny, made)
    found = INF
    free = [p for a, p in tiny.cuts if a == long and (a, p) not in tiny.forced | tiny.forbidden]
    forced = [p for a, p in tiny.cuts if a == long and (a, p) in tiny.forced]
    each = {}
    for number in range(len(free) + 1):
        for some in itertools.combinations(free, number):
            places = [0, *sorted([*forced, *some]), tiny.widths[long]]
            own = {(long, p) for p in places[1:-1]}
            if not all(tiny.needs(cut) <= own for cut in own):
                continue
            for interval in itertools.pairwise(places):
                if interval not in each:
                    each[interval] = bounds(tiny, long, made, still_open, interval)
            parts = [each[interval][:2] for interval in itertools.pairwise(places)]
            lost = [gone + one for _, one in parts]
            if not still_open:
                lost = [gone + sum(one for _, one in parts)]
            if all(one <= tiny.limit for one in lost):
                found = min(found, sum(f for f, _ in parts))
    price = len(tiny.rows) if tiny.metric == "discernibility" else 1
    return found + gone * price


def bound_of_tree(tiny, long, marks):
    """Of a tree with no drops: the least of its ends."""
    given = iter(marks)

    def below(made, still_open):
        mark = next(given)
        if mark > -16:
            return bound_of_node(tiny, long, made, still_open)
        cut = tiny.cuts_besides(long)[-16 - mark]
        made_too = below(*tiny.making(cut, made, still_open))
        return min(made_too, below(*tiny.leaving(cut, made, still_open)))

    return below(*tiny.root(long))


def gone_anyway(tiny, made):
    """The rows of classes under k."""
    classes = classes_of(range(len(tiny.rows)), tiny, made)
    return sum(len(members) for members in classes if len(members) < tiny.k)


# --- random tables ------------------------------------------------------------------------------


def random_tiny(rng: random.Random, most_cuts: int = 9) -> Tiny:
    """2 to 4 columns of up to 5 values, 5 to 40 rows, k from 2 to 6, 2 or 3 labels."""
    while True:
        widths = [rng.randint(2, 5) for _ in range(rng.randint(2, 4))]
        skew = rng.choice([1.0, 1.0, 0.6, 0.3])  # each value against the one before
        weights = [[skew**v for v in range(width)] for width in widths]
        drawn = [
            tuple(rng.choices(range(len(one)), weights=one)[0] for one in weights)
            for _ in range(rng.randint(5, 40))
        ]
        places = [sorted({row[a] for row in drawn}) for a in range(len(widths))]
        if sum(len(own) - 1 for own in places) <= most_cuts:
            break
    rows = tuple(tuple(places[a].index(v) for a, v in enumerate(row)) for row in drawn)
    kinds = "xyz"[: rng.randint(2, 3)]
    leaning = rng.random() < 0.5  # do labels go with the first column?
    labels = tuple(
        kinds[row[0] % len(kinds)] if leaning and rng.random() < 0.8 else rng.choice(kinds)
        for row in rows
    )
    levels = tuple(random_levels(rng, len(own)) for own in places)
    bounded = rng.random() < 0.4
    low, high = [], []
    for one in levels:
        low.append(rng.choice([0, 0, 1]) if bounded else 0)
        high.append(rng.choice([len(one) - 1] * 2 + [len(one) - 2]) if bounded else len(one) - 1)
    k = rng.randint(2, 6)
    return Tiny(
        rows, labels, levels, tuple(low), tuple(map(max, high, low)), rng.random() < 0.4, k,
        rng.choice([0, 1, k, len(rows) // 4, len(rows) // 2, len(rows), len(rows)]),
        rng.choice(["discernibility", "classification"]),
    )  # fmt: skip


def random_levels(rng, width):
    """Values, groups of neighbors, perhaps groups of groups, and all."""
    levels = [tuple(range(1, width + 1))]
    for _ in range(rng.randint(1, 2)):
        levels.append(tuple(end for end in levels[-1] if end == width or rng.random() < 0.5))
    return (*levels, (width,))


def many(count: int, seed: int, most_cuts: int = 9) -> list[Tiny]:
    rng = random.Random(seed)
    return [random_tiny(rng, most_cuts) for _ in range(count)]


# --- the same as the package sees it ------------------------------------------------------------


def column_names(tiny: Tiny) -> list[str]:
    return [f"q{a}" for a in range(len(tiny.levels))]


def policy(tiny: Tiny):
    import lookalike as la

    metrics = {
        "discernibility": la.Discernibility(),
        "classification": la.Classification("label"),
    }
    names = column_names(tiny)
    return la.Policy(
        quasi_identifiers={
            name: la.tree([_path(levels, place) for place in range(levels[0][-1])])
            for name, levels in zip(names, tiny.levels, strict=True)
        },
        sensitive=["label"],
        require=la.KAnonymity(tiny.k),
        suppress=tiny.suppress,
        metric=metrics[tiny.metric],
        levels={name: (tiny.low[a], tiny.high[a]) for a, name in enumerate(names)},
        conventions=la.Conventions(cuts="siblings" if tiny.siblings else "free"),
    )


def _path(levels, place):
    """Value, groups, ``*``, as a line of a hierarchy file."""
    between = [
        f"g{level}_{min(end for end in ends if end > place)}"
        for level, ends in enumerate(levels[1:-1], 1)
    ]
    return [f"v{place}", *between, "*"]


def counts(tiny: Tiny):
    import numpy as np

    from lookalike.counts.frequency_set import FrequencySet, Histogram

    groups = sorted(set(tiny.rows))
    held = Counter(tiny.rows)
    labels = sorted(set(tiny.labels))
    entries = sorted(Counter(zip(tiny.rows, tiny.labels, strict=True)).items())
    # Codes run against the order of the places, so that one is not taken for the other.
    values = [tuple(f"v{place}" for place in reversed(range(width))) for width in tiny.widths]
    codes = [[width - 1 - v for v, width in zip(row, tiny.widths, strict=True)] for row in groups]
    return FrequencySet(
        tuple(column_names(tiny)),
        tuple(values),
        np.array(codes, dtype=np.int32),
        np.array([held[row] for row in groups], dtype=np.int64),
        {
            "label": Histogram(
                tuple(labels),
                np.array([groups.index(row) for (row, _), _ in entries]),
                np.array([labels.index(label) for (_, label), _ in entries], dtype=np.int32),
                np.array([count for _, count in entries]),
            )
        },
    )


def problem(tiny: Tiny):
    from lookalike.problem.prepare import tabulate
    from lookalike.problem.problem import Problem

    asked, counted = policy(tiny), counts(tiny)
    tables, faults = tabulate(asked, counted)
    assert not faults, faults
    return Problem(asked, counted, tables)
