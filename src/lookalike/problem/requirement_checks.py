"""Apply the requirements of a policy to equivalence classes: which may not be released?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lookalike.counts.classes import Classes
from lookalike.policy.policy import Policy
from lookalike.privacy.requirement import Flags
from lookalike.problem.group_ids import group_ids


class Rules:
    """All requirements of a policy that allows suppressing ``allowance`` rows."""

    def __init__(self, policy: Policy, allowance: int) -> None:
        self.require = policy.require
        # Are classes compared with the release, which suppression changes?
        drops = policy.conventions.suppressed == "drop" and allowance > 0
        self.moving = drops and any(rule.compares_to_release for rule in self.require)
        # Are rows that a node suppresses also suppressed at every finer one?
        self.grow = all(rule.grows for rule in self.require)
        # Is there a requirement on the release as a whole?
        self.table_wide = any(rule.table_wide for rule in self.require)

    def unsafe(self, classes: Classes) -> Flags:
        """Which classes break a requirement, if all of them are released."""
        return _any([rule.broken(classes) for rule in self.require], len(classes))

    def broken(self, classes: Classes, sets: Sequence[NDArray[np.int32]] = ()) -> Flags:
        """Which classes may not be released.

        With several ``sets`` of columns, given by the codes that the classes show there, a class is
        suppressed if it breaks a requirement over any of them. That can leave other classes too
        small, so this is repeated until nothing changes. For requirements that grow, the rest is
        the largest part that is safe over every set, whatever the order. It is also repeated where
        classes are compared with the release, which changes when rows are suppressed.
        """
        if not sets and not self.moving:
            return self.unsafe(classes)
        over = [group_ids(codes) for codes in sets] or [np.arange(len(classes))]
        return self._until_safe(classes, over, hopeless=False)

    def hopeless(
        self, classes: Classes, broken: Flags, sets: Sequence[NDArray[np.int32]] = ()
    ) -> Flags:
        """Classes whose rows every finer node suppresses, whatever else it suppresses."""
        if self.grow:
            return broken
        if not sets:
            return broken & _any([rule.hopeless(classes) for rule in self.require], len(classes))
        return self._until_safe(classes, [group_ids(codes) for codes in sets], hopeless=True)

    def broken_below(self, broken: Flags, one_set: bool) -> int:
        """A lower bound on the rows of classes broken here that every finer node suppresses.

        If a class breaks monotone requirements, some part of it, so at least one row, breaks them
        at every finer node, provided that classes are not compared with a changing release.
        """
        if not one_set or self.moving or not all(rule.monotone for rule in self.require):
            return 0
        return int(broken.sum())

    def met(self, classes: Classes, kept: Flags) -> bool:
        """Does a release of these classes meet the requirements on the release as a whole?"""
        return not self.table_wide or all(rule.met(classes, kept) for rule in self.require)

    def _until_safe(
        self, classes: Classes, over: Sequence[NDArray[np.int64]], *, hopeless: bool
    ) -> Flags:
        """Repeat until no class is broken; ``over`` are the ids of merged classes, for each set."""
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


def _any(flags: Sequence[Flags], classes: int) -> Flags:
    """(classes,) flagged by any; a single list of flags is returned as it is."""
    flagged = flags[0] if flags else np.zeros(classes, dtype=np.bool_)
    for more in flags[1:]:
        flagged = flagged | more
    return flagged
