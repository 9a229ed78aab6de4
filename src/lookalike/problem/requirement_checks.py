"""What the policy requires, applied to the classes of a recoding: which may not be released."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.classes import Classes
from lookalike.policy.policy import Policy
from lookalike.privacy.requirement import Requirement
from lookalike.problem.group_ids import alike_over

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Rules:
    """All of them at once."""

    require: tuple[Requirement, ...]
    moving: bool  # does suppressing rows change what classes are held against?
    grow: bool  # is whoever must be suppressed at a node suppressed at every finer one?
    table_wide: bool  # is anything asked of the release as a whole?

    @staticmethod
    def of(policy: Policy, allowance: int) -> Rules:
        may_go = policy.conventions.suppressed == "drop" and allowance > 0
        return Rules(
            policy.require,
            may_go and any(rule.compares_to_release for rule in policy.require),
            all(rule.grows for rule in policy.require),
            any(rule.table_wide for rule in policy.require),
        )

    def unsafe(self, classes: Classes) -> Flags:
        """Which classes break a rule, held against the release as the classes tell it."""
        return _any([rule.broken(classes) for rule in self.require], len(classes))

    def broken(self, classes: Classes, sets: Sequence[NDArray[np.int32]] = ()) -> Flags:
        """Which classes may not be released.

        With several ``sets`` of columns, given by the codes that the classes show there, a row goes
        if it stands out over any of them; its going may leave others alone, so it is looked again
        until nobody is. Of rules that grow, what is left is the largest part that is safe over
        every set: no order of looking could keep more. It is looked again too where rules hold
        classes against the release, which is another when rows are left out.
        """
        if not sets and not self.moving:
            return self.unsafe(classes)
        over = [alike_over(codes) for codes in sets] or [np.arange(len(classes))]
        return self._until_safe(classes, over, hopeless=False)

    def hopeless(
        self, classes: Classes, broken: Flags, sets: Sequence[NDArray[np.int32]] = ()
    ) -> Flags:
        """Classes whose rows are suppressed at every finer node, whatever else is."""
        if self.grow:
            return broken
        if not sets:
            return broken & _any([rule.hopeless(classes) for rule in self.require], len(classes))
        return self._until_safe(classes, [alike_over(codes) for codes in sets], hopeless=True)

    def broken_below(self, broken: Flags, one_set: bool) -> int:
        """Rows that every finer node suppresses, at least, of classes that are broken here.

        Of a class that breaks monotone rules some part breaks them at every finer node, and that is
        a row at least, if what classes are held against stays the same.
        """
        if not one_set or self.moving or not all(rule.monotone for rule in self.require):
            return 0
        return int(broken.sum())

    def met(self, classes: Classes, kept: Flags) -> bool:
        """Does a release of these classes keep what is asked of it as a whole?"""
        return not self.table_wide or all(rule.met(classes, kept) for rule in self.require)

    def _until_safe(
        self, classes: Classes, over: Sequence[NDArray[np.int64]], *, hopeless: bool
    ) -> Flags:
        gone = np.zeros(len(classes), dtype=np.bool_)
        while True:
            before = gone.copy()
            for of in over:
                sizes = np.bincount(of, weights=np.where(gone, 0, classes.sizes)).astype(np.int64)
                left = classes.without(gone).merged(of, sizes)
                rules = (rule.hopeless if hopeless else rule.broken for rule in self.require)
                if self.moving and not hopeless:
                    left = left.among(np.ones(len(left), dtype=np.bool_))
                gone = gone | (_any([rule(left) for rule in rules], len(left)) | (sizes == 0))[of]
            if (gone == before).all():
                return gone


def _any(flags: Sequence[Flags], many: int) -> Flags:
    """Flagged by any; one list of flags is handed on as it is."""
    found = flags[0] if flags else np.zeros(many, dtype=np.bool_)
    for one in flags[1:]:
        found = found | one
    return found
