"""``RequirementContract``: laws that every requirement keeps."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from lookalike import api
from lookalike.counts.classes import Classes
from lookalike.counts.sensitive_spread import Spread, tally
from lookalike.policy.requirement_names import requirements_from, requirements_to
from lookalike.privacy.requirement import Requirement
from lookalike.testing.small_problems import claim_holds, small_problems
from lookalike.verifier.requirements.definitions import judge, table_wide_met
from lookalike.verifier.requirements.sensitive_counts import CountedClasses, spread_of

Group = tuple[str | None, ...]  # the values of one class, one for each row
VALUES: Group = ("flu", "cold", "ache", None)


class RequirementContract:
    """Override ``requirement``; a sensitive column, if it needs one, is ``ill``."""

    count = 40  # random releases
    values: Group = VALUES  # of the column ``ill``

    @pytest.fixture
    def requirement(self) -> Requirement:
        raise NotImplementedError

    def releases(self) -> Iterator[list[Group]]:
        """Random releases of 2 to 4 classes."""
        rng = random.Random(1)
        for _ in range(self.count):
            yield [
                tuple(rng.choice(self.values) for _ in range(rng.randint(1, 5)))
                for _ in range(rng.randint(2, 4))
            ]

    def broken(self, requirement: Requirement, groups: Sequence[Group]) -> list[bool]:
        """Which classes of a release break it, by the search."""
        flags: list[bool] = requirement.broken(self.classes(requirement, groups)).tolist()
        return flags

    def classes(self, requirement: Requirement, groups: Sequence[Group]) -> Classes:
        """Classes as the search sees them, if no row may be suppressed."""
        sizes = np.array([len(group) for group in groups], dtype=np.int64)
        of, code = _entries(groups, self.values)
        counts = tally(of, code, np.ones(len(of), dtype=np.int64), len(groups), len(self.values))
        total = np.bincount(code, minlength=len(self.values))
        spread = Spread(self.values, *counts, total, int(sizes.sum()))
        spreads = dict.fromkeys(requirement.columns, spread)
        return Classes(sizes, np.zeros_like(sizes), None, spreads)

    def counted(self, requirement: Requirement, groups: Sequence[Group]) -> CountedClasses:
        """The same classes as the verifier sees them."""
        sizes = np.array([len(group) for group in groups], dtype=np.int64)
        of, code = _entries(groups, self.values)
        column = spread_of(self.values, of, code, np.ones_like(of))
        return CountedClasses.of(sizes, dict.fromkeys(requirement.columns, column))

    def test_a_policy_file_can_name_it(self, requirement: Requirement) -> None:
        assert requirements_from(requirements_to([requirement])) == (requirement,)
        assert requirement.example.startswith(requirement.key)
        assert requirement.sentence().strip()

    def test_search_and_verifier_judge_alike(self, requirement: Requirement) -> None:
        answers = set()
        for groups in self.releases():
            classes, counted = self.classes(requirement, groups), self.counted(requirement, groups)
            judged = judge(requirement, counted, int(counted.sizes.sum()))
            kept = np.ones(len(groups), dtype=bool)
            met = requirement.met(classes, kept)
            assert met == table_wide_met(requirement, counted, kept)
            broken = requirement.broken(classes).tolist()
            answers |= {*broken, not met}
            assert judged.broken.tolist() == broken
            assert judged.hopeless.tolist() == requirement.hopeless(classes).tolist()
        assert answers == {True, False}, "both answers were tried"

    def test_a_class_below_its_smallest_size_breaks_it(self, requirement: Requirement) -> None:
        for groups in self.releases():
            for group, broken in zip(groups, self.broken(requirement, groups), strict=True):
                assert broken or len(group) >= requirement.smallest

    def test_what_grows_holds_for_every_larger_class(self, requirement: Requirement) -> None:
        if not requirement.grows:
            pytest.skip("it does not say that it grows")
        for first, second, *rest in self.releases():
            if not self.broken(requirement, [first, second, *rest])[0]:
                assert not self.broken(requirement, [first + second, *rest])[0]

    def test_what_is_monotone_holds_for_merged_classes(self, requirement: Requirement) -> None:
        if not requirement.monotone:
            pytest.skip("it does not say that it is monotone")
        for first, second, *rest in self.releases():
            if not any(self.broken(requirement, [first, second, *rest])[:2]):
                assert not self.broken(requirement, [first + second, *rest])[0]

    def test_no_part_of_a_hopeless_class_meets_it(self, requirement: Requirement) -> None:
        for groups in self.releases():
            first, *rest = groups
            classes = self.classes(requirement, groups)
            if not requirement.hopeless(classes)[0]:
                continue
            for size in range(1, len(first) + 1):
                for part in itertools.combinations(range(len(first)), size):
                    inside = tuple(first[row] for row in part)
                    others = tuple(first[row] for row in range(len(first)) if row not in part)
                    split = [inside, *([others] if others else []), *rest]
                    assert self.broken(requirement, split)[0]

    def test_releases_with_it_are_verified(self, requirement: Requirement) -> None:
        for small in small_problems(self.count // 5):
            problem = small.prepare(require=(*small.policy.require, requirement))
            flash, every = (api.solve(problem, by) for by in ("flash", "mingen"))
            assert flash.status is every.status
            assert flash.cost == pytest.approx(every.cost)
            assert claim_holds(problem, flash)
        if flash.recoding is not None:
            assert api.release(small.table, problem, flash).certificate.passed


def _entries(groups: Sequence[Group], values: Group):  # type: ignore[no-untyped-def]
    """(rows,) the class and the value of each row."""
    of = np.array([number for number, group in enumerate(groups) for _ in group], dtype=np.int64)
    code = np.array([values.index(value) for group in groups for value in group], dtype=np.int64)
    return of, code
