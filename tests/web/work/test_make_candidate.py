"""What the page that waits is told, and what a signal does meanwhile."""

import pytest

import lookalike as la
from lookalike.web.work import make_candidate
from lookalike.web.work.termination import Terminated, Termination


class Waiting:
    """A job; it remembers what the page was told last."""

    phase = ""

    def set_state(self, state, phase):
        assert state == "running"
        self.phase = phase


def test_the_page_says_that_code_is_compiled_and_a_signal_ends_the_job_then(monkeypatch):
    job, termination = Waiting(), Termination()
    monkeypatch.setattr(make_candidate, "TERMINATION", termination)
    show = make_candidate._show_phase(job)
    told = []
    for event in (
        la.PhaseStarted(la.Phase.SEARCHING),
        la.Compiling("flash"),
        la.Started("flash", 24, 10, "why"),
        la.PhaseStarted(la.Phase.RELEASING),
    ):
        show(event)
        told.append((job.phase, termination.searching))
    assert told == [
        (la.Phase.SEARCHING.heading, True),
        (la.Compiling("flash").heading, False),
        (la.Phase.SEARCHING.heading, True),
        (la.Phase.RELEASING.heading, False),
    ]
    termination.asked = True
    with pytest.raises(Terminated):
        show(la.Compiling("flash"))
