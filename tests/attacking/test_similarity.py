"""Similarity: the paper's table of salaries and stomach diseases, and brute force."""

from __future__ import annotations

import random
from itertools import combinations

import pyarrow as pa
import pytest
import release_attack_oracle as oracle
from effort import effort
from release_views import of_classes, seen

import lookalike as la
from lookalike.attacking.similarity import attack_by_similarity

ZIP = ["47677", "47602", "47678", "47905", "47909", "47906", "47605", "47673", "47607"]
AGE = [29, 22, 27, 43, 52, 47, 30, 36, 32]
SALARY = [3000, 4000, 5000, 6000, 11000, 8000, 7000, 9000, 10000]
DISEASE = [
    "gastric ulcer", "gastritis", "stomach cancer", "gastritis", "flu", "bronchitis", "bronchitis",
    "pneumonia", "stomach cancer",
]  # fmt: skip
PATIENTS = pa.table({"zip": ZIP, "age": AGE, "salary": SALARY, "disease": DISEASE})
DISEASES = la.tree(  # figure 2 of the paper, the part that occurs
    {
        "respiratory": {"lung": ["flu", "pneumonia", "bronchitis"]},
        "digestive": {"stomach": ["gastric ulcer", "gastritis", "stomach cancer"]},
    }
)
POLICY = la.Policy(
    quasi_identifiers={"zip": la.prefix(), "age": la.bands(10)},
    sensitive=["salary", "disease"],
    require=la.KAnonymity(3),
)
CLOSE = la.Policy(
    quasi_identifiers={"zip": la.prefix(), "age": la.bands(20)},
    sensitive=["salary", "disease"],
    require=[la.KAnonymity(3), la.TCloseness("disease", 0.278, la.Hierarchical(DISEASES))],
)


def release(zips: list[str], ages: list[str]) -> pa.Table:
    columns = {"zip": zips, "age": ages}
    return pa.table({**columns, "salary": SALARY, "disease": DISEASE})


def test_the_papers_three_diverse_table():
    # Tables 3 and 4: Bob is in the first class, so he earns little and has a stomach problem
    young, old, middle = ("476**", "20-29"), ("4790*", "≥40"), ("476**", "30-39")
    labels = [young, young, young, old, old, old, middle, middle, middle]
    shown = release([zip for zip, _ in labels], [age for _, age in labels])
    view = seen(shown, POLICY, PATIENTS)
    found = attack_by_similarity(view, hierarchies={"disease": DISEASES})
    salary, disease = found.columns
    assert (salary.by, salary.certain, salary.diverse) == ("range", 3, 3)
    assert salary.by_class[0].labels == young
    assert (disease.by, disease.certain, disease.diverse) == ("groups", 3, 3)
    assert disease.by_class[0].labels == young
    assert disease.largest_posterior == 1
    assert disease.largest_gain == pytest.approx(1 - 5 / 9)
    assert all(
        "gastritis" not in text and "4790" not in text for text in (repr(found), *found.sentences)
    )


def test_the_papers_close_table_tells_no_more():
    # Table 5, 0.167-close in salary and 0.278-close in disease
    first, second, third = ("4767*", "≤40"), ("4790*", "≥40"), ("4760*", "≤40")
    labels = [first, third, first, second, second, second, third, first, third]
    shown = release([zip for zip, _ in labels], [age for _, age in labels])
    found = attack_by_similarity(seen(shown, CLOSE, PATIENTS))
    assert found.certain == 0
    salary, disease = found.columns
    assert disease.by == "groups"  # by the tree of the requirement
    assert salary.by == "range"


TREE = {"low": {"lowest": ["1"], "lower": ["2", "3"]}, "high": {"higher": ["4", "5"], "top": ["6"]}}
LEVELS = [[{"1"}, {"2", "3"}, {"4", "5"}, {"6"}], [{"1", "2", "3"}, {"4", "5", "6"}]]


def random_rows(rng: random.Random) -> list[tuple[str, str]]:
    places, values = "abcd"[: rng.randint(1, 4)], "123456"[: rng.randint(1, 6)]
    return [(rng.choice(places), rng.choice(values)) for _ in range(rng.randint(1, 14))]


def windows(rows: list[tuple[str, str]], narrow: float) -> list[list[set[str]]]:
    """All sets of values within a narrow range: one way of being near."""
    values = sorted({value for _, value in rows}, key=float)
    if len(values) < 2:
        return []
    width = narrow * (float(values[-1]) - float(values[0]))
    ends = [(low, high) for low, high in combinations(values, 2)] + [(v, v) for v in values]
    return [
        [
            {v for v in values if float(low) <= float(v) <= float(high)}
            for low, high in ends
            if float(high) - float(low) <= width
        ]
    ]


def check(found, expected):
    for name in ("certain", "improved", "diverse"):
        assert getattr(found, name) == expected[name], name
    assert found.largest_gain == pytest.approx(float(expected["largest_gain"]))
    assert found.largest_posterior in [pytest.approx(float(top)) for top in expected["tops"]]


@pytest.mark.parametrize("seed", range(effort(500)))
def test_groups_equal_brute_force(seed: int):
    rows = random_rows(random.Random(seed))
    found = attack_by_similarity(of_classes(rows), hierarchies={"ill": la.tree(TREE)})
    expected = oracle.similarity(rows, LEVELS)
    if not found.columns:  # all values are in one group of every level
        assert not expected["improved"]
    else:
        check(found.columns[0], expected)


@pytest.mark.parametrize("seed", range(effort(500)))
def test_ranges_equal_brute_force(seed: int):
    rng = random.Random(seed)
    rows, narrow = random_rows(rng), rng.choice([0, 0.2, 0.25, 0.5, 0.75])
    found = attack_by_similarity(of_classes(rows), narrow=narrow)
    families = windows(rows, narrow)
    if not families:
        assert not found.columns
    else:
        check(found.columns[0], oracle.similarity(rows, families))


def test_dates_are_near_each_other_and_nulls_near_nothing():
    days = ["2020-01-01", "2020-01-03", None, "2024-01-01"]
    rows = [("a", days[0]), ("a", days[1]), ("b", days[2]), ("b", days[3])]
    [found] = attack_by_similarity(of_classes(rows)).columns
    assert (found.certain, found.diverse) == (2, 2)


def test_words_without_a_hierarchy_are_not_examined():
    found = attack_by_similarity(of_classes([("a", "flu"), ("b", "gout")]))
    assert found.columns == ()
    assert "not examined" in found.sentences[0]
    other = attack_by_similarity(
        of_classes([("a", "flu"), ("b", "gout")]), hierarchies={"ill": la.tree({"x": ["flu"]})}
    )
    assert "hierarchy" in other.sentences[0]


def test_a_range_that_is_everything_is_refused():
    with pytest.raises(ValueError, match="narrow"):
        attack_by_similarity(of_classes([("a", "1")]), narrow=1)
