"""DeFinetti: smokers and cancer, the exact Bayesian adversary, and how near the rounds come."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import dataclass, replace
from itertools import permutations

import definetti_oracle as oracle
import numpy as np
import pyarrow as pa
import pytest
from effort import effort
from release_views import CountedRows, seen

import lookalike as la
from lookalike.attacking.definetti import DefinettiFindings, attack_by_definetti
from lookalike.attacking.people_posterior import PeoplePosterior
from lookalike.attacking.proportional_fitting import count_assignments
from lookalike.attacking.release_view import ReleaseView

NAMES = ("group", "smoker", "age")
Rows = list[tuple[tuple[str, ...], str]]


@dataclass(frozen=True)
class Released:
    """People in groups, of whom the release shows the group alone."""

    rows: Rows

    @property
    def groups(self) -> list[tuple[list[tuple[str, ...]], Counter]]:
        found: dict[str, tuple[list[tuple[str, ...]], Counter]] = {}
        for person, value in self.rows:
            people, values = found.setdefault(person[0], ([], Counter()))
            people.append(person)
            values[value] += 1
        return list(found.values())

    def view(self) -> ReleaseView:
        width = len(self.rows[0][0])
        names = NAMES[:width]
        policy = la.Policy(
            quasi_identifiers=dict.fromkeys(names, la.flat()),
            sensitive=["ill"],
            require=la.KAnonymity(2),
        )
        shown = [((person[0], *"*" * (width - 1)), value) for person, value in self.rows]
        return seen(table(names, shown), policy, table(names, self.rows), people=True)


def table(names, rows: Rows) -> pa.Table:
    columns = {name: [person[at] for person, _ in rows] for at, name in enumerate(names)}
    return pa.table({**columns, "ill": [value for _, value in rows]})


def beliefs(found: DefinettiFindings, view: ReleaseView) -> dict[tuple[str, ...], dict]:
    [belief] = found.beliefs
    people = view.known_people
    return {
        tuple(v[c] for v, c in zip(people.values, people.codes[kind], strict=True)): dict(
            zip(belief.values, belief.chance[at].tolist(), strict=True)
        )
        for at, kind in enumerate(belief.kind.tolist())
    }


# --- smokers --------------------------------------------------------------------------------------

# In the manner of the paper's first example: twelve people in six groups of two. Where nobody
# smokes there is no cancer, where everybody smokes there is, and two groups are mixed.
SMOKERS: Rows = [
    (("1", "yes"), "cancer"), (("1", "yes"), "flu"),
    (("2", "no"), "flu"), (("2", "no"), "none"),
    (("3", "yes"), "cancer"), (("3", "no"), "none"),
    (("4", "yes"), "cancer"), (("4", "yes"), "none"),
    (("5", "no"), "flu"), (("5", "no"), "none"),
    (("6", "yes"), "cancer"), (("6", "no"), "flu"),
]  # fmt: skip


def test_the_smoker_of_a_mixed_group_has_cancer_rather_than_the_other():
    view = Released(SMOKERS).view()
    found = attack_by_definetti(view, on=["smoker"])
    chances = beliefs(found, view)
    # the published rate is 1/2 for both
    assert chances[("6", "no")]["cancer"] == pytest.approx(13 / 76)
    assert chances[("6", "yes")]["cancer"] == pytest.approx(63 / 76)
    assert chances[("1", "yes")]["cancer"] == pytest.approx(1 / 2)  # two smokers are alike
    [ill] = found.columns
    assert ill.exact
    assert ill.improved == 4
    assert ill.certain == 0
    assert ill.largest_gain == pytest.approx(63 / 76 - 1 / 2)


def test_in_rounds_the_smoker_has_cancer_too():
    view = Released(SMOKERS).view()
    found = attack_by_definetti(view, on=["smoker"], max_worlds=0)
    assert not found.columns[0].exact
    assert beliefs(found, view)[("6", "yes")]["cancer"] > 0.7
    assert beliefs(found, view)[("1", "yes")]["cancer"] == pytest.approx(1 / 2)


def test_accuracy_is_that_of_guessing_on_the_original():
    view = Released(SMOKERS).view()
    original = CountedRows(table(NAMES[:2], SMOKERS)).count_groups(NAMES[:2], ["ill"])
    found = attack_by_definetti(view, on=["smoker"], original=original)
    right = found.columns[0].accuracy
    assert right.published == pytest.approx(1 / 2)  # two values in each class
    assert right.attack == pytest.approx((4 * 1 + 8 * 1 / 2) / 12)
    assert right.believed == pytest.approx((4 * 63 / 76 + 8 * 1 / 2) / 12)
    assert "right for 66.7% of the people (the attacker expects 61%)" in found.sentences[0]


def test_findings_show_no_values():
    view = Released(SMOKERS).view()
    found = attack_by_definetti(view)
    for text in (repr(found), *found.sentences):
        assert "cancer" not in text
        assert "flu" not in text


# --- the exact adversary --------------------------------------------------------------------------


def random_release(rng: random.Random) -> Released:
    """Two to four groups of two to four people; the value depends on the person, more or less."""
    width, strength = rng.randint(1, 2), rng.choice([0, 0.5, 0.9])
    values = ["cancer", "flu", "none"][: rng.randint(2, 3)]
    rows = []
    for group in "1234"[: rng.randint(2, 4)]:
        for _ in range(rng.randint(2, 4)):
            person = tuple(rng.choice(["yes", "no"]) for _ in range(width))
            drawn = values[person[0] == "yes"] if rng.random() < strength else rng.choice(values)
            rows.append(((group, *person), drawn))
    return Released(rows)


def small(released: Released) -> bool:
    """Few enough assignments for brute force."""
    ways = [
        math.factorial(values.total()) // math.prod(map(math.factorial, values.values()))
        for _, values in released.groups
    ]
    return math.prod(ways) <= 4000


@pytest.mark.parametrize("seed", range(effort(500)))
def test_beliefs_equal_those_of_the_exact_adversary(seed: int):
    rng = random.Random(seed)
    released = random_release(rng)
    while not small(released):
        released = random_release(rng)
    view = released.view()
    features = list(range(rng.randint(0, 1), len(view.policy.names)))
    prior = rng.choice([1, 2])
    found = attack_by_definetti(view, on=[NAMES[at] for at in features], prior=prior)
    assert found.columns[0].exact
    ours = beliefs(found, view)
    everybody = [person for people, _ in released.groups for person in people]
    exact = oracle.adversary(released.groups, features, prior)
    for person, chances in zip(everybody, exact, strict=True):
        for value, chance in ours[person].items():
            assert chance == pytest.approx(float(chances.get(value, 0)), abs=1e-9)


def check_margins(found: DefinettiFindings, view: ReleaseView) -> None:
    """Everybody has some value, and the values of each class are those of the release."""
    [belief] = found.beliefs
    np.testing.assert_allclose(belief.chance.sum(axis=1), 1, atol=1e-4)
    for at in range(view.classes):
        here = belief.of == at
        held = (belief.people[here, None] * belief.chance[here]).sum(axis=0)
        published = belief.published[here][0] * belief.people[here].sum()
        np.testing.assert_allclose(held, published, atol=1e-3)


def test_in_rounds_beliefs_come_near_the_exact_ones():
    """A law, since the rounds approximate: on average far nearer than the published rates.

    Where the exact adversary is rather sure, they guess the same value.
    """
    rng = random.Random(5)
    off, same, sure = Counter(), 0, 0
    for _ in range(effort(500)):
        view = random_release(rng).view()
        features = view.policy.names[1:]
        weighed = attack_by_definetti(view, max_worlds=20_000, on=features)
        if not weighed.columns[0].exact:
            continue
        [exact] = weighed.beliefs
        for rounds in (2, 50):
            found = attack_by_definetti(view, max_worlds=0, on=features, rounds=rounds)
            check_margins(found, view)
            [ours] = found.beliefs
            off[rounds] += distance(exact, ours.chance)
        off["published"] += distance(exact, exact.published)
        clear = (exact.chance.max(axis=1) > 0.8) & (exact.published.max(axis=1) < 0.8)
        sure += int(clear.sum())
        same += int((exact.chance.argmax(axis=1) == ours.chance.argmax(axis=1))[clear].sum())
    assert off[50] < off[2] < off["published"]
    assert off[50] < off["published"] / 2
    assert same == sure > 0


def distance(exact: PeoplePosterior, chance: np.ndarray) -> float:
    return float((exact.people * np.abs(exact.chance - chance).sum(axis=1)).sum())


def test_of_many_people_the_attacker_is_right_as_often_as_believed():
    """600 people in groups of four; two columns say something about the value, one says nothing."""
    rng = random.Random(3)
    rows: Rows = []
    for number in range(600):
        smoker, age = rng.choice(["yes", "no"]), rng.choice(["old", "young"])
        chance = 0.2 + 0.5 * (smoker == "yes") + 0.2 * (age == "old")
        ill = "cancer" if rng.random() < chance else rng.choice(["flu", "none"])
        rows.append(((f"g{number // 4}", smoker, age), ill))
    view = Released(rows).view()
    original = CountedRows(table(NAMES, rows)).count_groups(NAMES, ["ill"])
    found = attack_by_definetti(view, on=NAMES[1:], original=original)
    right = found.columns[0].accuracy
    assert right.attack > right.published + 0.05
    assert right.believed == pytest.approx(right.attack, abs=0.06)


@pytest.mark.parametrize("seed", range(effort(100)))
def test_assignments_of_a_class_are_added_up_exactly(seed: int):
    rng = np.random.default_rng(seed)
    people = rng.integers(1, 3, size=rng.integers(1, 4)).tolist()
    values = rng.integers(0, rng.integers(1, 4), size=sum(people)).tolist()
    codes = sorted(set(values))
    rows = [values.count(code) for code in codes]
    likelihood = rng.random((len(people), len(codes)))
    persons = np.repeat(np.arange(len(people)), people)
    expected = np.zeros_like(likelihood)
    total = 0.0
    for order in set(permutations([codes.index(value) for value in values])):
        weight = float(np.prod(likelihood[persons, order]))
        total += weight
        np.add.at(expected, (persons, order), weight)
    expected /= total * np.array(people)[:, None]
    np.testing.assert_allclose(count_assignments(people, rows, likelihood), expected, atol=1e-9)


# --- releases by cells, and lists -----------------------------------------------------------------


def test_classes_that_overlap_are_learned_from_too():
    rows: Rows = [((f"{at}", ["yes", "no"][at % 2]), ["cancer", "flu"][at % 2]) for at in range(10)]
    shown: Rows = [
        ((place if at < 4 else "*", smoker if at in (2, 3) else "*"), value)
        for at, ((place, smoker), value) in enumerate(rows)
    ]
    policy = replace_policy()
    view = seen(table(NAMES[:2], shown), policy, table(NAMES[:2], rows), people=True)
    found = attack_by_definetti(view, on=["smoker"])
    [belief] = found.beliefs
    assert not found.columns[0].exact
    np.testing.assert_allclose(belief.chance.sum(axis=1), 1, atol=1e-4)
    assert found.improved > 0


def replace_policy() -> la.Policy:
    return la.Policy(
        quasi_identifiers=dict.fromkeys(NAMES[:2], la.flat()),
        sensitive=["ill"],
        require=la.KAnonymity(2),
    )


def test_people_on_the_list_who_are_not_in_the_release_are_allowed():
    released = Released(SMOKERS)
    more = [*SMOKERS, (("6", "no"), "none"), (("1", "no"), "none")]
    people = CountedRows(table(NAMES[:2], more)).count_groups(NAMES[:2])
    view = replace(released.view(), known_people=people)
    found = attack_by_definetti(view, on=["smoker"])
    [ill] = found.columns
    assert not ill.exact
    chances = beliefs(found, view)
    assert chances[("6", "yes")]["cancer"] > 0.6
    assert all(sum(one.values()) == pytest.approx(1, abs=1e-4) for one in chances.values())


def test_a_list_that_lacks_people_is_noticed():
    view = Released(SMOKERS).view()
    people = CountedRows(table(NAMES[:2], SMOKERS[1:])).count_groups(NAMES[:2])
    for listed, words in ((people, "lacks people"), (None, "needs a list")):
        found = attack_by_definetti(replace(view, known_people=listed))
        assert found.columns == ()
        assert words in found.sentences[0]


def test_nothing_is_learned_where_people_and_values_are_independent():
    rows: Rows = [
        ((group, smoker), value)
        for group in "1234"
        for smoker in ("yes", "no")
        for value in ("cancer", "flu")
    ]
    found = attack_by_definetti(Released(rows).view(), max_worlds=0)
    assert found.improved == 0
    assert "learns nothing" in found.sentences[0]


def test_a_prior_of_nothing_is_refused():
    with pytest.raises(ValueError, match="prior"):
        attack_by_definetti(Released(SMOKERS).view(), prior=0)
