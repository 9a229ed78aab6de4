"""Each requirement agrees with the papers' oracle, twice: as the search and as the verifier has it.

And keeps the laws that searches rest on: what grows, what is monotone, what is hopeless.
"""

import random

import numpy as np
import privacy_oracle as papers
import pytest
from effort import effort
from requirement_cases import VALUES, cases, random_classes

import lookalike as la
from lookalike.counts.classes import Classes
from lookalike.counts.sensitive_spread import Spread
from lookalike.verifier.requirements.definitions import judge, table_wide_met
from lookalike.verifier.requirements.sensitive_counts import CountedClasses, spread_of

TABLES = max(125, effort(1_000))


def as_searched(classes, total=None, fewest=None):
    """The classes as a search has them, held against all of them or against another table."""
    entries = [
        (i, VALUES.index(value), rows)
        for i, one in enumerate(classes)
        for value, rows in sorted(one.items())
        if rows
    ]
    of, code, count = (np.array([e[i] for e in entries], dtype=np.int64) for i in range(3))
    whole = papers.whole(classes) if total is None else total
    held = np.array([whole.get(value, 0) for value in VALUES], dtype=np.int64)
    sizes = np.array([sum(one.values()) for one in classes], dtype=np.int64)
    stays = int(held.sum()) if fewest is None else fewest
    spread = Spread(tuple(VALUES), of, code, count, held, stays)
    return Classes(sizes, np.arange(len(sizes)), spreads={"label": spread})


def as_verified(classes):
    found = as_searched(classes)
    spread = found.spreads["label"]
    column = spread_of(list(spread.values), spread.of, spread.code, spread.count)
    return CountedClasses.of(found.sizes, {"label": column})


def test_search_and_verifier_agree_with_the_papers():
    rng = random.Random(7)
    kept = dict.fromkeys((case.name for case in cases(rng)), 0)
    for _ in range(TABLES):
        classes = random_classes(rng)
        searched, verified = as_searched(classes), as_verified(classes)
        table = papers.whole(classes)
        for case in cases(rng):
            expected = case.keeps(classes)
            one_by_one = [not case.one(one, table) for one in classes]
            assert expected == (not any(one_by_one)), case.name  # the cases agree with themselves
            assert case.rule.broken(searched).tolist() == one_by_one, (case.name, classes)
            found = judge(case.rule, verified, sum(table.values()))
            assert found.broken.tolist() == one_by_one, (case.name, classes)
            kept[case.name] += expected
    assert all(0 < held < TABLES for held in kept.values()), kept  # both answers were tried


def test_risks_agree_with_the_papers():
    rng = random.Random(8)
    for _ in range(TABLES):
        classes = random_classes(rng)
        searched, verified = as_searched(classes), as_verified(classes)
        risk = rng.choice([0.05, 0.1, 0.2, 0.25, 0.3, 0.5])
        every = np.ones(len(classes), dtype=bool)
        highest = papers.highest_risk_kept(classes, papers.Fraction(str(risk)))
        assert (not la.MaximumRisk(risk).broken(searched).any()) == highest
        average = papers.average_risk_kept(classes, papers.Fraction(str(risk)))
        assert la.AverageRisk(risk).met(searched, every) == average
        assert table_wide_met(la.AverageRisk(risk), verified, every) == average


def test_populations_agree_with_the_papers():
    rng = random.Random(9)
    for _ in range(TABLES):
        keys = [f"key {i}" for i in range(rng.randint(1, 6))]
        members = {key: rng.randint(1, 5) for key in keys if rng.random() < 0.8}
        people = {key: members.get(key, 0) + rng.randint(0, 4) for key in keys}
        if rng.random() < 0.1 and members:
            people.pop(next(iter(members)))
        sizes = np.array(list(members.values()), dtype=np.int64)
        looking = np.array([people.get(key, 0) for key in members], dtype=np.int64)
        outside = sum(people.values()) - int(looking.sum())
        classes = Classes(sizes, np.arange(len(sizes)), population=looking, outside=outside)
        held = CountedClasses(sizes, population=looking, outside=outside)
        every = np.ones(len(sizes), dtype=bool)
        low, high = rng.choice([(0.0, 0.5), (0.0, 0.8), (0.25, 0.75), (0.5, 1.0), (0.1, 1.0)])
        presence = la.DeltaPresence(low, high)
        expected = papers.delta_present(
            members, people, papers.Fraction(str(low)), papers.Fraction(str(high))
        )
        mine = not presence.broken(classes).any() and presence.met(classes, every)
        theirs = not judge(presence, held, 0).broken.any()
        assert mine == expected, (members, people)
        assert (theirs and table_wide_met(presence, held, every)) == expected
        k_map = la.KMap(rng.randint(2, 5))
        expected = papers.k_mapped(members, people, k_map.k)
        assert (not k_map.broken(classes).any()) == expected
        assert (not judge(k_map, held, 0).broken.any()) == expected


def test_what_is_called_monotone_or_growing_is():
    rng = random.Random(10)
    seen = dict.fromkeys((case.name for case in cases(rng)), 0)
    for _ in range(TABLES):
        classes = random_classes(rng) + random_classes(rng)
        table = papers.whole(classes)
        one, other = classes[0], classes[-1]
        both = {value: one.get(value, 0) + other.get(value, 0) for value in {*one, *other}}
        for case in cases(rng):
            left, right, joined = (
                not case.rule.broken(as_searched([part], table))[0] for part in (one, other, both)
            )
            if case.rule.monotone and left and right:
                assert joined, (case.name, one, other)
                seen[case.name] += 1
            if case.rule.grows and (left or right):
                assert joined, (case.name, one, other)
    assert all(seen.values()), seen


def test_no_part_of_a_hopeless_class_meets_the_requirement():
    rng = random.Random(11)
    hopeless = dict.fromkeys((case.name for case in cases(rng)), 0)
    for _ in range(TABLES):
        classes = random_classes(rng)
        table = papers.whole(classes)
        rows = sum(table.values())
        for case in cases(rng):
            spare = rng.choice([0, 0, 1, 3])
            stays = max(1, rows - spare)
            judged = as_searched(classes, table, stays)
            flags = case.rule.hopeless(judged)
            broken = case.rule.broken(judged)
            verified = judge(case.rule, as_verified(classes), stays)
            assert verified.hopeless.tolist() == flags.tolist(), (case.name, classes)
            for i in np.flatnonzero(flags):
                hopeless[case.name] += 1
                if not spare:
                    assert broken[i], (case.name, classes)
                part = {v: rng.randint(0, n) for v, n in classes[i].items()}
                if not sum(part.values()):
                    continue
                left = dict(table)  # what is released: some rows of other classes may be gone
                others = papers.whole(one for j, one in enumerate(classes) if j != i)
                for _ in range(min(spare, sum(others.values()))):
                    gone = rng.choice([v for v, n in others.items() if n])
                    others[gone] -= 1
                    left[gone] -= 1
                left = {v: n for v, n in left.items() if n}
                assert not case.one(part, left), (case.name, classes, part)
    names = {name for name, many in hopeless.items() if not many}
    assert names <= {"t-closeness, ordered", "t-closeness, listed", "t-closeness, hierarchical"}


def test_max_risk_of_nine_percent_is_k_of_twelve():
    rule = la.MaximumRisk(0.09)
    assert rule.smallest == 12
    assert "k = 12" in rule.sentence()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: la.DistinctDiversity("d", 1), "l is 1; it must be 2 or more"),
        (lambda: la.EntropyDiversity("d", 1), "l is 1; it must be above 1"),
        (lambda: la.TCloseness("d", 1.5), "t is 1.5; it must be 0 or more and at most 1"),
        (lambda: la.TCloseness("d", 0.1, la.Equal), "not a ground distance"),
        (lambda: la.BetaLikeness("d", 1, "strong"), "basic or enhanced"),
        (lambda: la.MaximumRisk(0), "the maximum risk is 0"),
        (lambda: la.DeltaPresence(0.5, 0.1), "put the smaller first"),
        (lambda: la.KMap(1), "k=1 protects nobody"),
        (lambda: la.AlphaK("d", float("nan"), 2), "α is not a number"),
    ],
)
def test_numbers_that_make_no_sense_are_refused(make, words):
    with pytest.raises((TypeError, ValueError), match=words.replace("(", r"\(")):
        make()
