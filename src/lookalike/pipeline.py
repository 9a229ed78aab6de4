"""The pipeline: open, check, count, screen, search, release, verify, write; written once.

``anonymize``, ``reapply``, the command line, the demo and the studio all run this code and watch it
by events. So they make the same checks, in the same order, with the same messages.

Everything that can be checked without counting is checked before counting, and all faults are
reported together: the table, the roles of the columns, conventions, the key of pseudonyms, the
algorithm and its limits, the ledger.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lookalike.errors import FaultCollector, PolicyError
from lookalike.events import Observer, Phase, PhaseStarted, silent
from lookalike.policy.policy import Policy
from lookalike.problem.argument_checks import check_policy, check_solution
from lookalike.problem.prepare import prepare
from lookalike.problem.problem import Problem
from lookalike.pseudonyms.secret_key import Key, KeyGiven, needed_key
from lookalike.releasing.build_release import check_made_for, make_release
from lookalike.releasing.release import Release
from lookalike.search.auto_choice import named
from lookalike.search.limits import Limits, check_limits
from lookalike.search.option_checks import check_whole
from lookalike.search.solve import solve
from lookalike.solution.solution import Solution, Status
from lookalike.tables.open import open_table
from lookalike.tables.table import Table, preparing_release

if TYPE_CHECKING:
    from lookalike.releasing.ledger import Ledger, LedgerGiven
    from lookalike.releasing.randomness import Randomness
    from lookalike.releasing.reapply import Unseen
    from lookalike.risks.kept_columns.screening import Screening
    from lookalike.search.algorithm import Algorithm


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is asked of one run. At most one of ``solution`` and ``earlier`` is given."""

    table: Any  # a path, an address, a frame, or an opened table
    policy: Policy
    by: Algorithm | str | None = None
    limits: Limits | None = None
    seed: int = 0
    want: Status = Status.FEASIBLE  # the weakest result to accept
    key: KeyGiven = None
    ledger: LedgerGiven = None
    person: Sequence[str] = ()  # columns that identify people in the ledger
    solution: Solution | None = None  # release this one; nothing is searched
    earlier: Solution | None = None  # apply the levels of this solution of another table
    randomness: Randomness | None = None  # for a private release in tests; else from the system


@dataclass(slots=True)
class Pipeline:
    """One run: the request, and what each phase has produced so far.

    A caller that is interrupted finds here what was done: after the search, ``solution`` is set.
    """

    request: Request
    observer: Observer = silent
    on_solution: Callable[[Solution], None] = field(default=lambda solution: None)
    table: Table = field(init=False)
    policy: Policy = field(init=False)
    key: Key | None = field(init=False, default=None)
    ledger: Ledger | None = field(init=False, default=None)
    unseen: tuple[Unseen, ...] = field(init=False, default=())
    problem: Problem = field(init=False)
    screening: Screening = field(init=False)
    levels: tuple[int, ...] | None = field(init=False, default=None)  # of a private release
    solution: Solution | None = field(init=False, default=None)
    release: Release = field(init=False)

    def run(self, path: str | Path | None = None, **how: Any) -> Release:
        """Every phase, one after the other; the release is written if ``path`` says where."""
        self.check()
        with preparing_release(self.table):
            self.count()
            self.screen()
            self.search()
            self.make_release()
            if path is not None:
                self.write(path, **how)
        return self.release

    def search_only(self) -> Solution:
        """Check, count, screen and search; nothing is released, so no key is needed."""
        self.check(releasing=False)
        self.count()
        self.screen()
        self.search()
        assert self.solution is not None
        return self.solution

    def check(self, *, releasing: bool = True) -> None:
        """Open the table, and find every fault that can be found before counting."""
        request = self.request
        check_policy(request.policy)
        for solution in (request.solution, request.earlier):
            if solution is not None:
                check_solution(solution)
        if request.earlier is not None:
            from lookalike.releasing.reapply import levels_of

            levels_of(request.earlier)
        self.policy = request.policy
        faults, columns = FaultCollector(), None
        with faults.check():
            self.table = open_table(request.table)
            columns = self.table.columns
        with faults.check():
            if columns is not None and (role_faults := self.policy.faults(columns)):
                raise PolicyError(role_faults)
        with faults.check():
            if releasing:
                self.key = needed_key(self.policy, request.key)
        with faults.check():
            self._check_search(releasing)
        with faults.check():
            self._check_ledger(columns)
        faults.raise_faults()

    def _check_search(self, releasing: bool) -> None:
        """Find the faults of the search that do not depend on the counts."""
        request = self.request
        if self.policy.needs_sample:
            from lookalike.releasing.private_sample import request_faults

            if faults := request_faults(request, releasing=releasing):
                raise PolicyError(faults)
        elif request.solution is None and request.earlier is None:
            check_limits(request.limits)
            check_whole("seed", request.seed)
            named(request.by)

    def _check_ledger(self, columns: Sequence[str] | None) -> None:
        """Open the ledger; ``columns`` are those of the table, if it could be opened."""
        if self.request.ledger is not None:
            from lookalike.releasing.ledger import open_ledger

            self.ledger = open_ledger(self.request.ledger, self.request.person)
            if columns is not None:
                self.ledger.person_columns(columns, self.policy)

    def count(self) -> None:
        """Count the distinct tuples once, and tabulate the hierarchies."""
        self._begin(Phase.COUNTING)
        if self.request.earlier is not None:
            from lookalike.releasing.reapply import with_unseen

            self.policy, self.unseen = with_unseen(self.policy, self.table)
        if self.policy.needs_sample:
            from lookalike.releasing.private_sample import draw_sample
            from lookalike.releasing.randomness import SecureRandomness

            randomness = self.request.randomness or SecureRandomness()
            sample = draw_sample(self.table, self.policy, randomness)
            self.table, self.problem, self.levels = sample.table, sample.problem, sample.levels
            return
        self.problem = prepare(self.table, self.policy)
        if self.policy.pseudonyms:
            from lookalike.releasing.pseudonymize import check_pseudonyms

            check_pseudonyms(self.table, self.policy)

    def screen(self) -> None:
        """The gate: PolicyError if a kept column reveals what the policy does not accept."""
        from lookalike.releasing.kept_column_gate import check_kept_columns

        self._begin(Phase.SCREENING)
        self.screening = check_kept_columns(self.table, self.policy, self.problem.rows)

    def search(self) -> None:
        """Find a recoding, unless the request brings one."""
        request = self.request
        if request.solution is not None:
            check_made_for(self.problem, request.solution)
            self.solution = request.solution
            return
        self._begin(Phase.SEARCHING)
        if request.earlier is not None:
            from lookalike.releasing.reapply import check_applied, levels_of
            from lookalike.search.lattice.fixed_levels import FixedLevels

            levels = levels_of(request.earlier)
            self.solution = solve(self.problem, FixedLevels(levels), request.limits, self.observer)
            check_applied(self.problem, self.solution, levels, self.unseen)
        elif self.levels is not None:
            from lookalike.search.lattice.given_levels import GivenLevels

            self.solution = solve(self.problem, GivenLevels(self.levels), None, self.observer)
        else:
            self.solution = solve(
                self.problem, request.by, request.limits, self.observer, request.seed
            )
        self.on_solution(self.solution)

    def make_release(self) -> None:
        """Recode the table as the solution says, and verify the result. ReleaseRefused if not."""
        assert self.solution is not None
        if self.solution.status in (Status.OPTIMAL, Status.FEASIBLE):
            self.solution.expect(self.request.want)
        self._begin(Phase.RELEASING)
        release = make_release(self.table, self.problem, self.solution, self.key)
        self.release = replace(release, ledger=self.ledger, screening=self.screening)

    def write(self, path: str | Path, *, enter: bool = True, **how: Any) -> None:
        """Write the release and its certificate, and verify what was written.

        With ``enter=False`` it is a draft: it is compared with the ledger and not entered.
        """
        self._begin(Phase.WRITING)
        release = self.release
        if self.ledger is not None and not enter:
            release.classes_for(self.ledger)
            release = replace(release, ledger=None)
        release.write(path, **how)

    def _begin(self, phase: Phase) -> None:
        self.observer(PhaseStarted(phase))


def preload() -> None:
    """Load what a run would load on its way, for a process that waits for work."""
    import lookalike.counts.counting_kernels
    import lookalike.tables.files.file_reading  # noqa: F401
