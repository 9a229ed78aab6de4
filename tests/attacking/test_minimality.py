"""Minimality: the paper's example, and an exact adversary who runs the algorithm on all tables."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

import minimality_oracle as oracle
import privacy_oracle as papers
import pyarrow as pa
import pytest
from effort import effort
from release_views import CountedRows, seen
from requirement_cases import exactly

import lookalike as la
from lookalike.attacking.class_members import class_members
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


def random_case(rng: random.Random, algorithm, rules=RULES, people=(4, 7)) -> Case:
    """A table with a release that is not the coarsest and not the table itself, if possible."""
    for _ in range(100):
        names = ["q", "r"][: rng.randint(1, 2)]
        values = ["hiv", "flu", "gout"][: rng.randint(2, 3)]
        kinds = [
            [rng.choice(sorted(PATHS[name])) for name in names] for _ in range(rng.randint(2, 4))
        ]
        many = rng.randint(*people)
        rows = [(tuple(rng.choice(kinds)), rng.choice(values)) for _ in range(many)]
        policy = la.Policy(
            quasi_identifiers={name: la.tree(TREES[name]) for name in names},
            sensitive=["ill"],
            require=[la.KAnonymity(2), rng.choice(rules)()],
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


@pytest.mark.parametrize("seed", sorted({*range(effort(500)), 132}))  # 132: equal costs matter
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


def agree(ours: dict, expected: dict) -> None:
    for person, chances in expected.items():
        assert ours[person].keys() == chances.keys()
        for value, chance in chances.items():
            assert ours[person][value] == pytest.approx(float(chance), abs=1e-9)


def keeps(policy: la.Policy) -> Callable[[list[Counter]], bool]:
    """The requirements of the policy, by the oracle's definitions."""
    _, rule = policy.require
    if isinstance(rule, la.DistinctDiversity):
        checks = papers.distinct_l_diverse, rule.l
    elif isinstance(rule, la.RecursiveDiversity):
        checks = papers.recursive_diverse, exactly(rule.c), rule.l
    elif isinstance(rule, la.EntropyDiversity):
        checks = papers.entropy_l_diverse, rule.l
    else:
        values = None if rule.value is None else [rule.value]
        checks = papers.alpha_k_anonymous, exactly(rule.alpha), rule.k, values
    law, *numbers = checks
    return lambda parts: min(map(Counter.total, parts)) >= 2 and law(parts, *numbers)


@pytest.mark.parametrize("seed", range(effort(500)))
def test_class_by_class_beliefs_equal_counting_with_finer_nodes_alone(seed: int):
    rng = random.Random(1000 + seed)
    case = random_case(rng, ORDERED[seed % len(ORDERED)], RULES[:-1], people=(5, 9))
    view = replace(case.view(), algorithm="")  # so that only minimality is known

    def at(node: tuple[int, ...]):
        return replace(case, node=node).recode

    lower = [
        at((*case.node[:a], level - 1, *case.node[a + 1 :]))
        for a, level in enumerate(case.node)
        if level
    ]
    people = [person for person, _ in case.rows]
    release = case.released(case.rows)
    expected = oracle.believer(people, release, case.recode, lower, keeps(case.policy))
    found = attack_by_minimality(view)
    assert not found.complete
    agree(beliefs(found, view), expected)


FLAT = {"q": la.flat(), "r": la.flat(), "s": la.flat()}


def cells_case(rng: random.Random, algorithm, hierarchies):
    """A random table, to be released cell by cell."""
    names = list(hierarchies)
    values = ["hiv", "flu", "gout"][: rng.randint(2, 3)]
    letters = {name: sorted(PATHS.get(name, PATHS["r"])) for name in names}
    kinds = [tuple(rng.choice(letters[name]) for name in names) for _ in range(rng.randint(2, 5))]
    rows = [(rng.choice(kinds), rng.choice(values)) for _ in range(rng.randint(5, 8))]
    policy = la.Policy(
        quasi_identifiers=hierarchies,
        sensitive=["ill"],
        require=[la.KAnonymity(2), rng.choice(RULES[:-1])()],
    )
    return Case(policy, rows, algorithm, ())


def shown_labels(case: Case, rows) -> dict[tuple[str, ...], tuple[str, ...]] | None:
    """What each kind of person shows in the release of a table."""
    problem = case.problem(rows)
    recoding = la.solve(problem, case.algorithm).recoding
    if recoding is None:
        return None
    labels = {}
    for number, levels in zip(recoding.group, recoding.levels, strict=True):
        codes = problem.counts.codes[problem.canonical[number]]
        person = tuple(v[c] for v, c in zip(problem.counts.values, codes, strict=True))
        labels[person] = tuple(
            table.labels[level][table.codes[code, level]]
            for table, level, code in zip(problem.tables, levels, codes, strict=True)
        )
    return labels


@pytest.mark.parametrize("seed", range(effort(300)))
@pytest.mark.parametrize("by", ["top-down", "mondrian"])
def test_of_releases_by_cells_nothing_false_is_deduced(by: str, seed: int):
    rng = random.Random(seed)
    algorithm = la.TopDown() if by == "top-down" else la.Mondrian()
    trees = {name: la.tree(tree) for name, tree in TREES.items()}
    case = cells_case(rng, algorithm, trees if by == "top-down" else FLAT)
    labels = shown_labels(case, case.rows)
    if labels is None:
        return
    shown = [(labels[person], value) for person, value in case.rows]
    view = seen(
        table(case.names, shown),
        case.policy,
        table(case.names, case.rows),
        people=True,
        algorithm=by,
    )

    def run(rows) -> Counter | None:
        other = shown_labels(case, rows)
        return other and Counter((other[person], value) for person, value in rows)

    people = [person for person, _ in case.rows]
    exact = oracle.adversary(people, Counter(shown), labels.get, run)
    found = attack_by_minimality(view)
    assert not found.complete
    if not found.columns:
        assert not class_members(view, view.known_people).complete.all()
        return
    ours = beliefs(found, view)
    for person, chances in exact.items():
        assert set(chances) <= set(ours[person])  # what we rule out, the exact adversary rules out


def test_top_down_and_mondrian_tell_something_at_times():
    told = Counter()
    for seed in range(150):
        for by, made in (("top-down", la.TopDown()), ("mondrian", la.Mondrian())):
            trees = {name: la.tree(tree) for name, tree in TREES.items()}
            case = cells_case(random.Random(seed), made, trees if by == "top-down" else FLAT)
            labels = shown_labels(case, case.rows)
            if labels is not None:
                shown = table(case.names, [(labels[p], value) for p, value in case.rows])
                original = table(case.names, case.rows)
                view = seen(shown, case.policy, original, people=True, algorithm=by)
                told[by] += attack_by_minimality(view).improved > 0
    assert min(told["top-down"], told["mondrian"]) > 0


# --- what cannot be examined ----------------------------------------------------------------------


def test_without_a_requirement_on_values_nothing_can_be_learned():
    policy = la.Policy(
        quasi_identifiers={"q": la.tree({"Q": ["q1", "q2"]})},
        sensitive=["ill"],
        require=la.KAnonymity(3),
    )
    release = la.anonymize(table("q", SEVEN), policy)
    view = seen(release.table, policy, table("q", SEVEN), people=True, algorithm="flash")
    found = attack_by_minimality(view)
    assert found.complete
    assert found.sentences == (
        "ill: the minimality attack learns nothing beyond what is published.",
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"known_people": None}, "needs a list"),
        ({"algorithm": "datafly"}, "datafly may generalize more"),
        ({"algorithm": "mondrian"}, "several parts"),
    ],
)
def test_why_it_was_not_run(change: dict, words: str):
    found = attack_by_minimality(replace(papers_view(SEVEN), **change))
    assert found.columns == ()
    [sentence] = found.sentences
    assert words in sentence


def test_a_list_with_other_people_does_not_tell_who_is_in_a_class():
    rows = [*SEVEN, (("q2",), "flu")]
    view = papers_view(SEVEN)
    more = CountedRows(table("q", rows)).count_groups(["q"])
    found = attack_by_minimality(replace(view, known_people=more))
    assert found.columns == ()
    assert "not known from the list" in found.sentences[0]


def test_another_algorithm_is_noticed():
    good = [(("q1",), "HIV"), (("q1",), "flu"), (("q2",), "flu"), (("q2",), "flu")]
    policy = papers_view(SEVEN).policy
    shown = table("q", [(("Q",), value) for _, value in good])
    view = seen(shown, policy, table("q", good), people=True, algorithm="flash")
    found = attack_by_minimality(view)
    assert found.improved == 0
    assert any("another one" in sentence for sentence in found.sentences)


def test_a_class_with_many_assignments_is_sampled_and_never_certain():
    rows = [(("q1",), "HIV")] * 30 + [(("q2",), "flu")] * 60
    view = replace(papers_view(rows), algorithm="")
    exact, sampled = attack_by_minimality(view), attack_by_minimality(view, max_worlds=3)
    assert exact.improved
    for person, chances in beliefs(exact, view).items():
        for value, chance in chances.items():
            assert beliefs(sampled, view)[person][value] == pytest.approx(chance, abs=0.1)
    assert sampled.certain == 0
