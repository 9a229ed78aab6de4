"""Minimality: the paper's example, and an exact adversary who runs the algorithm on all tables."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import minimality_oracle as oracle
import pyarrow as pa
import pytest
from effort import effort
from release_views import CountedRows, seen

import lookalike as la
from lookalike.attacking.minimality import MinimalityFindings, attack_by_minimality
from lookalike.attacking.release_view import ReleaseView
from lookalike.problem.prepare import tabulate
from lookalike.problem.problem import Problem

TREES = {
    "q": {"low": ["a", "b"], "high": ["c", "d"]},
    "r": {"any": ["x", "y"]},
}
PATHS = {
    "q": {"a": ("a", "low", "*"), "b": ("b", "low", "*"), "c": ("c", "high", "*"),
          "d": ("d", "high", "*")},
    "r": {"x": ("x", "any", "*"), "y": ("y", "any", "*")},
}  # fmt: skip
RULES: list[Callable[[], object]] = [
    lambda: la.DistinctDiversity("ill", 2),
    lambda: la.AlphaK("ill", 0.5, 2),
    lambda: la.AlphaK("ill", 0.5, 2, "hiv"),
    lambda: la.EntropyDiversity("ill", 1.5),
    lambda: la.RecursiveDiversity("ill", 2.0, 2),
    lambda: la.TCloseness("ill", 0.3),
]


@dataclass(frozen=True)
class Case:
    """A tiny table, its policy and its release."""

    policy: la.Policy
    rows: list[tuple[tuple[str, ...], str]]
    algorithm: object
    node: tuple[int, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return self.policy.names

    def problem(self, rows) -> Problem:
        counts = CountedRows(table(self.names, rows)).count_groups(self.names, ["ill"])
        tables, faults = tabulate(self.policy, counts)
        assert not faults
        return Problem(self.policy, counts, tables)

    def recode(self, person: tuple[str, ...]) -> tuple[str, ...]:
        columns = zip(self.names, person, self.node, strict=True)
        return tuple(PATHS[name][value][level] for name, value, level in columns)

    def run(self, rows) -> Counter | None:
        """The release of another table; it is another one if the node is."""
        node = solved(self.problem(rows), self.algorithm)
        return self.released(rows) if node == self.node else None

    def released(self, rows) -> Counter:
        return Counter((self.recode(person), value) for person, value in rows)

    def view(self) -> ReleaseView:
        shown = [(self.recode(person), value) for person, value in self.rows]
        return seen(
            table(self.names, shown),
            self.policy,
            table(self.names, self.rows),
            people=True,
            algorithm=self.algorithm.name,
        )


def table(names, rows) -> pa.Table:
    columns = {name: [person[at] for person, _ in rows] for at, name in enumerate(names)}
    return pa.table({**columns, "ill": [value for _, value in rows]})


def solved(problem: Problem, algorithm) -> tuple[int, ...] | None:
    solution = la.solve(problem, algorithm)
    return None if solution.recoding is None else solution.recoding.levels


def random_case(rng: random.Random, algorithm) -> Case:
    """A table with a release that is not the coarsest and not the table itself, if possible."""
    for _ in range(100):
        names = ["q", "r"][: rng.randint(1, 2)]
        values = ["hiv", "flu", "gout"][: rng.randint(2, 3)]
        kinds = [
            [rng.choice(sorted(PATHS[name])) for name in names] for _ in range(rng.randint(2, 4))
        ]
        many = rng.randint(4, 7)
        rows = [(tuple(rng.choice(kinds)), rng.choice(values)) for _ in range(many)]
        policy = la.Policy(
            quasi_identifiers={name: la.tree(TREES[name]) for name in names},
            sensitive=["ill"],
            require=[la.KAnonymity(2), rng.choice(RULES)()],
            metric=rng.choice(["precision", "loss", "discernibility"]),
        )
        case = Case(policy, rows, algorithm, ())
        try:
            node = solved(case.problem(rows), algorithm)
        except la.NotSuited:
            continue
        if node is not None and sum(node):
            return Case(policy, rows, algorithm, node)
    raise AssertionError


def beliefs(found: MinimalityFindings, view: ReleaseView) -> dict:
    [belief] = found.beliefs
    people = view.known_people
    return {
        tuple(v[c] for v, c in zip(people.values, people.codes[kind], strict=True)): {
            value: chance
            for value, chance in zip(belief.values, belief.chance[at].tolist(), strict=True)
            if chance > 0
        }
        for at, kind in enumerate(belief.kind.tolist())
    }


# --- the paper's example --------------------------------------------------------------------------

SEVEN = [(("q1",), "HIV")] * 2 + [(("q2",), "flu")] * 5


def papers_view(rows, **known) -> ReleaseView:
    """Table 2(c) of the paper: 2-diversity as at most half of a class, by global recoding."""
    policy = la.Policy(
        quasi_identifiers={"q": la.tree({"Q": ["q1", "q2"]})},
        sensitive=["ill"],
        require=la.AlphaK("ill", 0.5, 2, "HIV"),
    )
    release = la.anonymize(table("q", rows), policy, by="flash")
    return seen(release.table, policy, table("q", rows), people=True, algorithm="flash", **known)


def test_the_papers_two_people_of_q1_have_hiv_for_sure():
    view = papers_view(SEVEN)
    assert view.classes == 1  # q1 and q2 cannot be told apart: a rate of 2 in 7
    found = attack_by_minimality(view)
    chances = beliefs(found, view)
    assert chances[("q1",)] == {"HIV": 1}
    assert chances[("q2",)] == {"flu": 1}
    [ill] = found.columns
    assert (ill.certain, ill.improved) == (7, 7)
    assert ill.largest_posterior == 1
    [hit] = ill.by_class
    assert hit.published == pytest.approx(5 / 7)
    assert found.complete
    assert found.finer == 1


def test_the_papers_good_table_is_released_as_it_is_and_tells_nothing():
    # Table 2(a): one of two people of q1 has HIV, and one of five of q2
    good = [(("q1",), "HIV"), (("q1",), "flu"), (("q2",), "HIV")] + [(("q2",), "flu")] * 4
    found = attack_by_minimality(papers_view(good))
    assert (found.certain, found.improved, found.finer) == (0, 0, 0)


def test_three_of_seven_by_counting():
    # q1 has three people, q2 four, and three of all have HIV. The table is generalized only if two
    # or three of q1 have it, or three of q2: 12 + 1 + 4 assignments of 35.
    rows = [(("q1",), "HIV")] * 3 + [(("q2",), "flu")] * 4
    view = papers_view(rows)
    found = beliefs(attack_by_minimality(view), view)
    assert found[("q1",)]["HIV"] == pytest.approx((12 * 2 + 1 * 3) / 17 / 3)
    assert found[("q2",)]["HIV"] == pytest.approx((12 * 1 + 4 * 3) / 17 / 4)


def test_sentences_and_findings_show_no_values():
    found = attack_by_minimality(papers_view(SEVEN))
    for text in (repr(found), *found.sentences):
        assert "HIV" not in text
        assert "q1" not in text
    assert "certain for 7 of 7 people" in found.sentences[0]


# --- the exact adversary --------------------------------------------------------------------------

ORDERED = [la.MinGen(), la.Samarati(), la.Incognito(), la.Hybrid(), la.Flash()]


@pytest.mark.parametrize("seed", range(effort(500)))
def test_beliefs_equal_those_of_the_exact_adversary(seed: int):
    rng = random.Random(seed)
    case = random_case(rng, ORDERED[seed % len(ORDERED)])
    view = case.view()
    found = attack_by_minimality(view, default_options=True)
    people = [person for person, _ in case.rows]
    exact = oracle.adversary(people, case.released(case.rows), case.recode, case.run)
    ours = beliefs(found, view)
    for person, chances in exact.items():
        if not found.complete:  # equal costs: what is ruled out is ruled out by the adversary too
            assert set(chances) <= set(ours[person])
            continue
        assert ours[person].keys() == chances.keys()
        for value, chance in chances.items():
            assert ours[person][value] == pytest.approx(float(chance), abs=1e-9)


@pytest.mark.parametrize("seed", range(effort(200)))
def test_class_by_class_nothing_false_is_deduced(seed: int):
    rng = random.Random(seed)
    case = random_case(rng, ORDERED[seed % len(ORDERED)])
    view = case.view()
    whole = attack_by_minimality(view, default_options=True)
    parts = attack_by_minimality(view, max_worlds=whole.finer and 50)
    for person, chances in beliefs(parts, view).items():
        if parts.complete:
            continue
        assert set(beliefs(whole, view)[person]) <= set(chances)
        assert sum(chances.values()) == pytest.approx(1)
