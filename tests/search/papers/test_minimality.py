"""k-minimal tables and distortions at cell level, against trying every table there is."""

import itertools
import math
import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import oracle
import paper_figures as figures
import pyarrow as pa
import pytest
import tiny
from cell_maps import from_lots, random_lots
from effort import effort
from lattice_cases import enumerate_by_oracle

import lookalike as la
from golden.test_sweeney import FIGURE_4, FIGURE_7, figure_4_policy, figure_7_policy
from lookalike.problem.problem import Problem
from lookalike.problem.recodings.cell_evaluation import cell_map
from lookalike.search.papers import refinement_search as finer
from lookalike.solution.recoding import GONE
from oracles.test_oracle_on_the_papers import GT, PT, cell_level_optima, levels_of

MANY = 60_000  # tables that brute force looks at

# --- brute force, on rows and labels ------------------------------------------------------------


def rows_of(problem, recoding):
    """The table row by row: (leaves, levels), levels None if the row is left out."""
    groups = sorted(set(problem.rows))
    found = []
    pieces = zip(
        recoding.group.tolist(), recoding.rows.tolist(), recoding.levels.tolist(), strict=True
    )
    for group, rows, levels in pieces:
        found += [(groups[group], None if GONE in levels else tuple(levels))] * rows
    return sorted(found, key=str)


def shown(problem, row, levels):
    return tuple(h[v][at] for h, v, at in zip(problem.hierarchies, row, levels, strict=True))


def labels_below(path, level, low):
    """Labels from the lowest level allowed up to the label at this level, each once."""
    return list(dict.fromkeys(path[low : path[low:].index(path[level]) + low + 1]))


def tuples_below(problem, row, levels):
    paths = [h[v] for h, v in zip(problem.hierarchies, row, strict=True)]
    each = map(labels_below, paths, levels, problem.low)
    return list(itertools.product(*each))


def satisfies(table, k):
    return all(count >= k for count in Counter(table).values())


def could_be_shown(choices, k):
    """Only the tuples that k rows could show: no other table can satisfy k."""
    support = Counter(choice for mine in choices for choice in set(mine))
    return [[choice for choice in mine if support[choice] >= k] for mine in choices]


def finer_by_trying_all(problem, released):
    """A finer table that satisfies k, None, or ``too many``."""
    kept = [(row, levels) for row, levels in released if levels is not None]
    own = tuple(shown(problem, row, levels) for row, levels in kept)
    choices = could_be_shown([tuples_below(problem, *row) for row in kept], problem.k)
    if math.prod(map(len, choices)) > MANY:
        return "too many"
    for table in itertools.product(*choices):
        if table != own and satisfies(table, problem.k):
            return table
    return None


def within(problem, released):
    return all(
        low <= level <= high
        for _, levels in released
        if levels is not None
        for low, level, high in zip(problem.low, levels, problem.high, strict=True)
    )


def meets(problem, released):
    kept = [shown(problem, row, levels) for row, levels in released if levels is not None]
    gone = len(released) - len(kept)
    return satisfies(kept, problem.k) and gone <= problem.allowance and bool(kept)


def at_or_below(problem, row, one, other):
    """Is the label shown at these levels one of those at or below the label shown at others?"""
    return shown(problem, row, one) in tuples_below(problem, row, other)


def assert_is_a_finer_table(problem, recoding, witness):
    before, after = rows_of(problem, recoding), rows_of(problem, witness)
    assert meets(problem, after)
    assert within(problem, after)
    assert [row for row, _ in after] == [row for row, _ in before]
    for row in set(problem.rows):  # equal rows: some way to pair them goes down
        old = [levels for other, levels in before if other == row]
        new = [levels for other, levels in after if other == row]
        assert old.count(None) == new.count(None)
        old = [levels for levels in old if levels is not None]
        new = [levels for levels in new if levels is not None]
        assert any(
            all(at_or_below(problem, row, one, other) for one, other in zip(new, old, strict=True))
            for new in itertools.permutations(new)
        )
    labels = [
        Counter((row, shown(problem, row, at)) for row, at in rows if at is not None)
        for rows in (before, after)
    ]
    assert labels[0] != labels[1]


# --- random tables ------------------------------------------------------------------------------


def small_problems(count, seed, rows=7):
    rng = random.Random(seed)
    made = 0
    while made < count:
        problem = oracle.random_problem(rng)
        if len(problem.rows) <= rows and problem.k <= 3 and len(problem.rows) >= problem.k:
            made += 1
            yield replace(problem, high=tuple(oracle.heights(problem.hierarchies)))


def random_table(problem, prepared, rng):
    """Rows in random lots, at their lowest labels or some way up; a lot may be left out."""
    lots = random_lots(prepared, rng)
    out = 1 if len(lots) > 1 and len(lots[0]) <= problem.allowance and rng.random() < 0.4 else 0
    recoding = from_lots(prepared, lots, out)
    if rng.random() < 0.5:
        return recoding
    return raised(problem, prepared, recoding, rng)


def raised(problem, prepared, recoding, rng):
    """Each class some levels up, alike for all its rows."""
    tops = oracle.heights(problem.hierarchies)
    groups = sorted(set(problem.rows))
    levels, up = recoding.levels.copy(), {}
    for piece, at in enumerate(recoding.levels.tolist()):
        if GONE not in at:
            label = shown(problem, groups[recoding.group[piece]], at)
            highest = up.setdefault(label, [rng.randint(0, top) for top in tops])
            levels[piece] = np.maximum(at, highest)
    return cell_map(prepared, prepared.canonical[recoding.group], recoding.rows, levels)


@pytest.mark.parametrize("chunk", range(8))
def test_k_minimal_is_what_trying_every_finer_table_says(chunk, monkeypatch):
    """On the way down too: each witness is asked about in turn, until a table is minimal."""
    rng = random.Random(chunk)
    answers = Counter()
    for problem in small_problems(75, seed=100 + chunk):
        prepared = tiny.problem(problem, la.Precision())
        recoding = random_table(problem, prepared, rng)
        while recoding is not None:
            released = rows_of(problem, recoding)
            answer = la.is_k_minimal(prepared, recoding)
            if not meets(problem, released):
                assert (answer.holds, answer.witness) == (False, None)
                break
            expected = finer_by_trying_all(problem, released)
            if expected == "too many":
                break
            assert answer.holds == (expected is None), (problem, released, expected)
            assert answer.holds == (answer.witness is None)
            with monkeypatch.context() as patch:  # the exact search by itself
                patch.setattr(finer, "single_steps", lambda start, budget: iter(()))
                alone = la.is_k_minimal(prepared, recoding)
            assert alone.holds == answer.holds
            for witness in (answer.witness, alone.witness):
                if witness is not None:
                    assert_is_a_finer_table(problem, recoding, witness)
            answers[answer.holds] += 1
            recoding = rng.choice([answer.witness, alone.witness])
    assert answers[True] >= 40
    assert answers[False] >= 40


def finer_row_by_row(problem, released):
    """As trying all, but a start that can no longer satisfy k is not gone on with."""
    kept = [(row, levels) for row, levels in released if levels is not None]
    own = [shown(problem, row, levels) for row, levels in kept]
    choices = could_be_shown([tuples_below(problem, *row) for row in kept], problem.k)

    def go_on(table):
        left = choices[len(table) :]
        for label, count in Counter(table).items():
            if count + sum(label in mine for mine in left) < problem.k:
                return False
        if not left:
            return table != own
        return any(go_on([*table, choice]) for choice in left[0])

    return go_on([])


@pytest.mark.parametrize("chunk", range(4))
def test_k_minimal_with_many_equal_rows_is_what_going_row_by_row_says(chunk, monkeypatch):
    """Pieces of several rows may have to be split; the exact search alone is asked."""
    monkeypatch.setattr(finer, "single_steps", lambda start, budget: iter(()))
    rng = random.Random(chunk)
    answers = Counter()
    while answers.total() < 60:
        problem = replace(oracle.random_problem(rng), k=3)
        if not 8 <= len(problem.rows) <= 11 or len(set(problem.rows)) > 7:
            continue
        problem = replace(problem, high=tuple(oracle.heights(problem.hierarchies)))
        prepared = tiny.problem(problem, la.Precision())
        recoding = from_lots(prepared, random_lots(prepared, rng))
        released = rows_of(problem, recoding)
        if math.prod(len(tuples_below(problem, *row)) for row in released) < 1e7:
            answer = la.is_k_minimal(prepared, recoding)
            assert answer.holds != finer_row_by_row(problem, released), (problem, released)
            answers[answer.holds] += 1
    assert min(answers.values()) >= 5


def least_by_trying_all(problem):
    """The least distortion of any table that satisfies k, in cells; None if too many."""
    tops = oracle.heights(problem.hierarchies)
    choices = [tuples_below(problem, row, tops) for row in problem.rows]
    choices = could_be_shown(choices, problem.k)
    priced = []
    for row, mine in zip(problem.rows, choices, strict=True):
        priced.append([(label, lost(problem, row, label)) for label in mine])
        if problem.allowance:
            priced[-1].append((None, Fraction(sum(map(Fraction, problem.weights)))))
    if math.prod(map(len, priced)) > MANY // 4:
        return None
    best = math.inf
    for table in itertools.product(*priced):
        total = sum(price for _, price in table)
        if total < best:
            kept = [label for label, _ in table if label is not None]
            if len(table) - len(kept) <= problem.allowance and kept and satisfies(kept, problem.k):
                best = total
    return best


def lost(problem, row, label):
    """What a row loses when it shows these labels, each at its lowest level allowed."""
    total = Fraction(0)
    columns = zip(row, label, problem.hierarchies, problem.weights, problem.low, strict=True)
    for value, cell, hierarchy, weight, low in columns:
        path = hierarchy[value]
        total += Fraction(weight) * Fraction(path.index(cell, low), len(path) - 1)
    return total


def distortion(problem, released):
    total = Fraction(0)
    tops = oracle.heights(problem.hierarchies)
    for _, levels in released:
        for level, top, weight in zip(levels or tops, tops, problem.weights, strict=True):
            total += Fraction(weight) * Fraction(level, top)
    return total


@pytest.mark.parametrize("chunk", range(4))
def test_minimal_distortion_is_what_trying_every_table_says(chunk):
    rng = random.Random(chunk)
    answers = Counter()
    for problem in small_problems(110, seed=200 + chunk):
        best = least_by_trying_all(problem)
        if best is None:
            continue
        prepared = tiny.problem(problem, la.Loss())
        recoding = random_table(problem, prepared, rng)
        for _ in range(2):  # then the witness
            released = rows_of(problem, recoding)
            answer = la.is_k_minimal_distortion(prepared, recoding)
            if not meets(problem, released):
                assert (answer.holds, answer.witness) == (False, None)
                break
            assert answer.holds == (distortion(problem, released) == best), (problem, released)
            answers[answer.holds] += 1
            if answer:
                break
            recoding = answer.witness
            assert meets(problem, rows_of(problem, recoding))
            assert distortion(problem, rows_of(problem, recoding)) == best
    assert answers[True] >= 30
    assert answers[False] >= 20


@pytest.mark.parametrize("chunk", range(4))
@pytest.mark.parametrize("may_drop", [False, True])
def test_minimal_distortion_of_more_rows_is_what_the_papers_test_finds(chunk, may_drop):
    rng = random.Random(chunk)
    seen = 0
    while seen < 12:
        problem = oracle.random_problem(rng)
        if not 8 <= len(problem.rows) <= 10 or problem.k > 3:
            continue
        tops = tuple(oracle.heights(problem.hierarchies))
        problem = replace(
            problem,
            weights=[1] * len(tops),
            low=(0,) * len(tops),
            high=tops,
            allowance=len(problem.rows) if may_drop else 0,
        )
        best, _ = cell_level_optima(problem.rows, problem.hierarchies, problem.k, may_drop)
        prepared = tiny.problem(problem, la.Precision())
        top = as_cells(prepared, tops)
        answer = la.is_k_minimal_distortion(prepared, top)
        assert answer.holds == (distortion(problem, rows_of(problem, top)) == best)
        if not answer:
            assert distortion(problem, rows_of(problem, answer.witness)) == best
            assert la.is_k_minimal_distortion(prepared, answer.witness)
            seen += 1


def test_minimal_distortion_of_ten_random_people_is_what_the_papers_test_finds():
    for seed in range(50):
        problem = random_people(10, 2, seed)
        values, codes = (
            problem.counts.values,
            np.repeat(problem.counts.codes, problem.counts.counts, axis=0),
        )
        rows = [tuple(values[a][code] for a, code in enumerate(row)) for row in codes.tolist()]
        best, _ = cell_level_optima(rows, [HALVES, HALVES, HALVES, SEX], 2)
        answer = la.is_k_minimal_distortion(problem, as_cells(problem, (2, 2, 2, 1)))
        assert problem.evaluate(answer.witness).cost == pytest.approx(float(best / 40))
        assert la.is_k_minimal_distortion(problem, answer.witness)


def test_theorem_2_holds_at_cell_level():
    """A k-minimal distortion is a k-minimal generalization, if every column has a weight."""
    seen = 0
    for problem in small_problems(150, seed=2, rows=12):
        if problem.allowance or not all(problem.weights):
            continue
        prepared = tiny.problem(problem, la.Precision())
        recoding = from_lots(prepared, random_lots(prepared, random.Random(1)))
        answer = la.is_k_minimal_distortion(prepared, recoding)
        best = recoding if answer else answer.witness
        assert la.is_k_minimal_distortion(prepared, best)
        assert la.is_k_minimal(prepared, best)
        seen += 1
    assert seen >= 15


# --- conventions, sets and bounds: the problem itself judges every finer table ------------------


def finer_by_judging_all(problem, prepared, recoding):
    """Does any finer table meet the policy? None if there are too many."""
    groups = sorted(set(problem.rows))
    ways = []
    for group, rows, levels in zip(
        recoding.group.tolist(), recoding.rows.tolist(), recoding.levels.tolist(), strict=True
    ):
        below = [tuple(levels)]
        if GONE not in levels:
            paths = [h[v] for h, v in zip(problem.hierarchies, groups[group], strict=True)]
            columns = zip(paths, levels, problem.low, strict=True)
            each = [[p.index(label, low) for label in labels_below(p, lv, low)]
                    for p, lv, low in columns]  # fmt: skip
            below = list(itertools.product(*each))
        ways += [[(group, way) for way in below]] * rows
    if math.prod(map(len, ways)) > 600:
        return None
    before = [shown_or_gone(problem, groups, *mine[-1]) for mine in ways]
    for table in itertools.product(*ways):
        if [shown_or_gone(problem, groups, *row) for row in table] != before:
            group = prepared.canonical[[group for group, _ in table]]
            levels = np.array([levels for _, levels in table], dtype=np.int16)
            made = cell_map(prepared, group, np.ones(len(table), dtype=np.int64), levels)
            if prepared.evaluate(made).meets:
                return True
    return False


def shown_or_gone(problem, groups, group, levels):
    return None if GONE in levels else shown(problem, groups[group], levels)


def split_columns(names):
    return {"one": names[:1], "other": names[1:]} if len(names) > 1 else {}


@pytest.mark.parametrize(
    ("conventions", "linked"),
    [
        (la.Conventions(stars="wildcard"), False),
        (la.Conventions(suppressed="star"), False),
        (la.Conventions(suppressed="star", stars="wildcard"), False),
        (la.Conventions(), True),
    ],
)
def test_conventions_and_sets_of_columns_are_kept(conventions, linked):
    rng = random.Random(3)
    answers = Counter()
    for problem in small_problems(200, seed=300, rows=6):
        prepared = tiny.problem(problem, la.Precision(), conventions)
        if linked:
            asked = replace(prepared.policy, linking=split_columns(tiny.names(problem)))
            prepared = Problem(asked, prepared.counts, prepared.tables)
        recoding = random_table(problem, prepared, rng)
        if not prepared.evaluate(recoding).meets:
            continue
        expected = finer_by_judging_all(problem, prepared, recoding)
        if expected is None:
            continue
        answer = la.is_k_minimal(prepared, recoding)
        assert answer.holds == (not expected), (problem, rows_of(problem, recoding))
        if answer.witness is not None:
            assert prepared.evaluate(answer.witness).meets
        answers[answer.holds] += 1
    assert min(answers[True], answers[False]) >= 10


# --- examples -----------------------------------------------------------------------------------


def flat_problem(k, columns, trees=None, **more):
    """Columns of letters, a word each; hierarchies are flat but for the trees given."""
    policy = la.Policy(
        quasi_identifiers={name: (trees or {}).get(name, la.flat()) for name in columns},
        require=la.KAnonymity(k),
        **more,
    )
    return la.prepare(pa.table({name: list(word) for name, word in columns.items()}), policy)


def table(problem, rows, levels):
    """A cell map from rows and their levels."""
    values = problem.counts.values
    codes = [[values[a].index(cell) for a, cell in enumerate(row)] for row in rows]
    known = problem.counts.codes.tolist()
    return cell_map(
        problem,
        np.array([known.index(code) for code in codes]),
        np.ones(len(rows), dtype=np.int64),
        np.array(levels, dtype=np.int16),
    )


def as_cells(problem, levels):
    """A full-domain recoding that leaves nothing out, as a cell map."""
    groups = problem.counts.groups
    each = np.tile(np.array(levels, dtype=np.int16), (groups, 1))
    return cell_map(problem, np.arange(groups), problem.counts.counts, each)


HALVES = {x: [x, "low" if x in "abcuvw123" else "high", "*"] for x in "abcdefuvwxyz123456"}
SEX = {x: [x, "*"] for x in "mf"}


def random_people(rows, k, seed=0):
    rng = random.Random(seed)
    letters = {"q": "abcdef", "r": "uvwxyz", "s": "123456", "t": "mf"}
    words = {name: [rng.choice(some) for _ in range(rows)] for name, some in letters.items()}
    return flat_problem(k, words, dict.fromkeys("qrs", la.tree(list(HALVES.values()))))


def test_what_is_minimal_by_columns_may_not_be_cell_by_cell():
    """One column, a a b c: by columns all must be starred, by cells a a may stay."""
    problem = flat_problem(2, {"q": "aabc"})
    levels = la.Levels(problem.names, (1,))
    assert la.is_k_minimal(problem, levels)
    assert la.is_k_minimal_distortion(problem, levels)
    cells = as_cells(problem, (1,))
    for answer in (la.is_k_minimal(problem, cells), la.is_k_minimal_distortion(problem, cells)):
        assert not answer
        assert answer.witness == table(problem, "aabc", [[0], [0], [1], [1]])
        assert la.is_k_minimal(problem, answer.witness)
        assert la.is_k_minimal_distortion(problem, answer.witness)


@pytest.mark.parametrize("node", figures.FIGURE_4_GT)
def test_figure_4_cell_by_cell_is_as_it_is_by_columns(node):
    """Every row of it has one companion at most, so cells have no more freedom than columns."""
    problem = la.prepare(FIGURE_4, figure_4_policy(2))
    cells = as_cells(problem, node)
    assert bool(la.is_k_minimal(problem, cells)) == (node in {(0, 1), (1, 0)})
    assert bool(la.is_k_minimal_distortion(problem, cells)) == (node == (0, 1))


@pytest.mark.parametrize(("gender_height", "best"), [(1, ".8278"), (2, ".8486")])
def test_figure_7_gt_is_a_k_minimal_generalization_but_no_k_minimal_distortion(gender_height, best):
    problem = la.prepare(FIGURE_7, figure_7_policy(gender_height, suppress=0))
    trees = figures.FIGURE_7_HIERARCHIES[gender_height]
    gt = table(problem, PT, levels_of(PT, GT, trees))
    assert la.is_k_minimal(problem, gt)
    answer = la.is_k_minimal_distortion(problem, gt)
    assert not answer
    assert answer.sentence == f"A cell-level table has precision 0{best}, this has 0.8229."
    _, optima = cell_level_optima(PT, trees, 2)
    tables = [table(problem, PT, levels_of(PT, optimum, trees)) for optimum in optima]
    assert len(tables) == 3
    assert answer.witness in tables
    for optimum in tables:
        assert la.is_k_minimal_distortion(problem, optimum)
        assert la.is_k_minimal(problem, optimum)


def test_more_may_be_gained_when_rows_may_be_left_out():
    problem = flat_problem(2, {"q": "aaab", "r": "xxxy"}, suppress=1)
    kept = table(problem, ["ax", "ax", "ax", "by"], [[0, 0], [0, 0], [1, 1], [1, 1]])
    left_out = table(problem, ["ax", "ax", "ax", "by"], [[0, 0]] * 3 + [[GONE, GONE]])
    assert la.is_k_minimal(problem, kept)
    assert la.is_k_minimal_distortion(problem, kept).witness == left_out
    assert la.is_k_minimal(problem, left_out)
    assert la.is_k_minimal_distortion(problem, left_out)
    strict = flat_problem(2, {"q": "aaab", "r": "xxxy"})
    assert la.is_k_minimal_distortion(strict, kept)


def test_finer_means_row_by_row_without_swapping_rows():
    """Rows 1 and 2 could swap their classes, and the classes could then be lowered.

    As bags of tuples the tables would be comparable; but a row carries its other columns with it.
    """
    problem = flat_problem(2, {"q": "aaad", "r": "bbcb", "s": "1221"})
    rows = ["ab1", "ab2", "ac2", "db1"]
    given = table(problem, rows, [[0, 1, 1], [1, 0, 1], [0, 1, 1], [1, 0, 1]])
    swapped = table(problem, rows, [[1, 0, 1], [0, 1, 1], [0, 1, 1], [1, 0, 1]])
    assert la.is_k_minimal(problem, given)
    assert not la.is_k_minimal(problem, swapped)


def test_a_label_on_two_levels_is_one_label():
    """Lowering it shows the same table; Prec counts levels all the same."""
    same = la.tree([["a", "a", "A", "*"], ["b", "bb", "A", "*"]])
    problem = flat_problem(2, {"q": "aabb"}, {"q": same})
    high = table(problem, "aabb", [[1], [1], [0], [0]])
    assert la.is_k_minimal(problem, high)
    assert not la.is_k_minimal_distortion(problem, high)


def test_a_label_that_comes_back_higher_up_is_still_where_it_was_first():
    problem = flat_problem(2, {"q": "xx"}, {"q": la.tree([["x", "y", "x", "*"]])})
    assert la.is_k_minimal(problem, as_cells(problem, (2,)))
    assert not la.is_k_minimal(problem, as_cells(problem, (1,)))


def test_labels_that_meet_on_different_levels_are_one_class():
    """b is a group too, and a value of its own: a at level 1 looks like b at level 0."""
    tree = la.tree([["a", "b", "*"], ["b", "b", "*"]])
    problem = flat_problem(2, {"q": "ab"}, {"q": tree})
    mixed = table(problem, "ab", [[1], [0]])
    starred = as_cells(problem, (2,))
    assert la.is_k_minimal(problem, mixed)
    assert la.is_k_minimal_distortion(problem, mixed)
    assert la.is_k_minimal_distortion(problem, starred).witness == mixed
    assert not la.is_k_minimal(problem, starred)


def test_levels_below_the_policys_are_no_finer_table():
    free = flat_problem(2, {"q": "aabb"})
    bound = flat_problem(2, {"q": "aabb"}, levels={"q": (1, 1)})
    assert not la.is_k_minimal(free, as_cells(free, (1,)))
    assert la.is_k_minimal(bound, as_cells(bound, (1,)))
    assert la.is_k_minimal_distortion(bound, as_cells(bound, (1,)))
    outside = la.is_k_minimal(bound, as_cells(bound, (0,)))
    assert (outside.holds, outside.witness) == (False, None)


def test_levels_above_the_policys_are_no_step_on_the_way():
    """With stars for single cells, a cell is within the levels or a star, and nothing between."""
    tree = la.tree([["a", "x", "*"], ["b", "x", "*"]])
    policy = {"levels": {"q": (0, 0)}, "model": "CG_CS"}
    free = flat_problem(2, {"q": "ab"}, {"q": tree})
    bound = flat_problem(2, {"q": "ab"}, {"q": tree}, **policy)
    assert not la.is_k_minimal(free, as_cells(free, (2,)))
    assert la.is_k_minimal(bound, as_cells(bound, (2,)))
    assert la.is_k_minimal_distortion(bound, as_cells(bound, (2,)))


def test_starred_rows_may_need_other_starred_rows():
    """One row is left out and stays as stars: the two starred with it may not go down."""
    rows, levels = "aabb", [[GONE], [0], [0], [1], [1]]
    together = flat_problem(
        2, {"q": "caabb"}, suppress=1, conventions=la.Conventions(suppressed="star")
    )
    apart = flat_problem(2, {"q": "caabb"}, suppress=1)
    assert la.is_k_minimal(together, table(together, "c" + rows, levels))
    assert not la.is_k_minimal(apart, table(apart, "c" + rows, levels))


def test_a_wildcard_star_needs_no_companion():
    wild = flat_problem(2, {"q": "aab"}, conventions=la.Conventions(stars="wildcard"))
    own = flat_problem(2, {"q": "aab"})
    lowest = table(wild, "aab", [[0], [0], [1]])
    assert la.is_k_minimal(own, as_cells(own, (1,)))
    assert la.is_k_minimal_distortion(own, as_cells(own, (1,)))
    assert la.is_k_minimal(wild, as_cells(wild, (1,))).witness == lowest
    assert la.is_k_minimal_distortion(wild, as_cells(wild, (1,))).witness == lowest
    assert la.is_k_minimal_distortion(wild, lowest)


def test_a_class_gives_one_row_each_where_it_has_no_more_to_spare():
    """Three classes of four, k = 3, each with two equal rows: one of each makes a new class."""
    equal = ["axyz", "bxyz", "cxyz"]
    others = ["dmyz", "enyz", "fxoz", "hxpz", "ixyq", "jxyr"]
    rows = [row for row in equal for _ in range(2)] + others
    problem = flat_problem(3, {f"q{a}": [row[a] for row in rows] for a in range(4)})
    shape = [[1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1]]
    given = table(problem, rows, [levels for levels in shape for _ in range(2)] * 2)
    answer = la.is_k_minimal(problem, given)
    assert not answer
    left = [levels for levels in shape for _ in range(2)]
    joined = [[1, 0, 0, 0] if i % 2 else levels for i, levels in enumerate(left)]
    assert answer.witness == table(problem, rows, [*joined, *left])


def test_with_several_sets_rows_need_not_be_alike_throughout():
    """Row 1 shows A with row 2 in one set and x with row 3 in the other, alone with both."""
    tree = la.tree([["a", "A", "*"], ["b", "A", "*"], ["c", "C", "*"], ["d", "D", "*"]])
    problem = flat_problem(
        2, {"q": "abcd", "r": "xyxz"}, {"q": tree}, linking={"one": ["q"], "other": ["r"]}
    )
    rows = ["ax", "by", "cx", "dz"]
    answer = la.is_k_minimal(problem, table(problem, rows, [[1, 1], [1, 1], [2, 1], [2, 1]]))
    assert answer.witness == table(problem, rows, [[1, 0], [1, 1], [2, 0], [2, 1]])


def test_a_recoding_of_another_table_is_refused():
    one, other = flat_problem(2, {"q": "aabb"}), flat_problem(2, {"q": "aab"})
    for question in (la.is_k_minimal, la.is_k_minimal_distortion):
        with pytest.raises(la.PolicyError, match="it is for another table"):
            question(one, as_cells(other, (1,)))


# --- tables that are too large ------------------------------------------------------------------


@pytest.mark.parametrize("question", [la.is_k_minimal, la.is_k_minimal_distortion])
def test_what_is_too_much_to_decide_is_said_so_and_not_guessed(question):
    problem = random_people(40, 3)
    recoding = from_lots(problem, random_lots(problem, random.Random(0)))
    while (step := la.is_k_minimal(problem, recoding).witness) is not None:
        recoding = step
    with pytest.raises(la.NotProven, match="40 rows are too many to decide in 100 steps"):
        question(problem, recoding, work=100)


def test_a_distortion_that_no_partition_settles_is_not_guessed():
    """Sets of columns, and starred rows that may not be a class of their own."""
    linked = flat_problem(2, {"q": "aab", "r": "xyy"}, linking={"one": ["q"], "other": ["r"]})
    with pytest.raises(la.NotProven, match="several sets of columns"):
        la.is_k_minimal_distortion(linked, table(linked, ["ax", "ay", "by"], [[1, 1]] * 3))
    starred = flat_problem(
        2,
        {"q": "aabc"},
        levels={"q": (0, 0)},
        suppress=2,
        conventions=la.Conventions(suppressed="star"),
    )
    with pytest.raises(la.NotProven, match="starred rows"):
        la.is_k_minimal_distortion(starred, table(starred, "aabc", [[0], [0], [GONE], [GONE]]))


@pytest.mark.parametrize("question", [la.is_k_minimal, la.is_k_minimal_distortion])
def test_a_large_table_that_is_a_step_from_a_finer_one_gets_its_no(question):
    problem = random_people(3_000, 5)
    recoding = as_cells(problem, [table.height for table in problem.tables])
    answer = question(problem, recoding, work=100_000)
    assert not answer
    assert problem.evaluate(answer.witness).meets
    assert problem.evaluate(answer.witness).cost < problem.evaluate(recoding).cost


@pytest.mark.parametrize("question", [la.is_k_minimal, la.is_k_minimal_distortion])
def test_a_large_k_is_no_deep_recursion(question):
    problem = flat_problem(400, {"q": "abcd" * 250, "r": "uvwxyz" * 166 + "uvwx"})
    try:
        answer = question(problem, as_cells(problem, (1, 1)))
    except la.NotProven:
        return
    assert answer.witness is None or problem.evaluate(answer.witness).meets


def test_the_original_needs_no_search_however_large():
    problem = flat_problem(2, {"q": "ab" * 3_000})
    assert la.is_k_minimal(problem, as_cells(problem, (0,)))
    assert la.is_k_minimal_distortion(problem, as_cells(problem, (0,)))


@pytest.mark.parametrize("ask", [la.is_k_minimal, la.is_k_minimal_distortion])
@pytest.mark.parametrize(
    ("names", "levels"), [(("q", "r"), (9, 9)), (("q",), (1,)), (("r", "q"), (0, 0))]
)
def test_levels_that_are_not_this_problems_are_a_fault(ask, names, levels):
    policy = la.Policy(quasi_identifiers={"q": la.flat(), "r": la.flat()}, require=la.KAnonymity(2))
    problem = la.prepare(pa.table({"q": ["a", "a"], "r": ["b", "b"]}), policy)
    with pytest.raises(la.PolicyError, match="not levels of this problem"):
        ask(problem, la.Levels(names, levels))


# --- full-domain levels -------------------------------------------------------------------------


def test_k_minimal_generalizations_are_those_of_exhaustive_enumeration():
    for problem in tiny.tiny_problems(effort(2_400), seed=4000):
        _, minimal = enumerate_by_oracle(problem)
        found = la.k_minimal_generalizations(tiny.problem(problem, la.Loss()))
        assert {levels.levels for levels in found} == minimal


def test_minimality_of_levels_is_what_the_oracle_says_and_a_no_comes_with_a_witness():
    for problem in tiny.tiny_problems(60, seed=8):
        prepared = tiny.problem(problem, la.Precision())
        feasible, minimal = enumerate_by_oracle(problem)
        _, nodes = problem.best(oracle.precision_cost)
        for node in oracle.all_nodes(problem.hierarchies, problem.low, problem.high):
            levels = la.Levels(prepared.names, node)
            answer = la.is_k_minimal(prepared, levels)
            assert answer.holds == (node in minimal)
            if node in feasible and not answer:
                assert answer.witness.levels in feasible
                assert sum(answer.witness.levels) < sum(node)
            if node in feasible:
                answer = la.is_k_minimal_distortion(prepared, levels)
                assert answer.holds == (node in nodes)
                if not answer:
                    assert answer.witness.levels in nodes


def test_theorem_2_a_k_minimal_distortion_is_a_k_minimal_generalization():
    for problem in tiny.tiny_problems(100, seed=9):
        if len(set(map(float, problem.weights))) > 1 or problem.allowance:
            continue
        prepared = tiny.problem(problem, la.Precision())
        solution = la.solve(prepared)
        if solution.recoding is not None:
            assert la.is_k_minimal(prepared, solution.recoding)
