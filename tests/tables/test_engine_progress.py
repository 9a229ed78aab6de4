"""The progress of an engine: what is reported while it reads, counts and writes."""

from __future__ import annotations

import numpy as np
import pytest
from packed_tables import random_table, save

import lookalike as la
from lookalike.cli.terminal.terminal import _Line
from lookalike.tables import engine_progress as progress
from lookalike.tables.engine_progress import Step, report_progress
from lookalike.tables.open import open_table


def test_the_innermost_known_share_is_reported():
    assert progress.current_progress() is None
    with report_progress(Step("outer", 4)) as outer, report_progress(Step("inner", 0)):
        assert progress.current_progress() == ("outer", 0.0)
        outer.add(3)
        assert progress.current_progress() == ("outer", 0.75)
        with report_progress(Step("asked", 0, ask_share=lambda: 2.0)):
            assert progress.current_progress() == ("asked", 1.0)
        with report_progress(Step("unknown", 0, ask_share=lambda: -0.01)):
            assert progress.current_progress() == ("outer", 0.75)
    with pytest.raises(KeyError), report_progress(Step("failed", 1)):
        raise KeyError
    assert progress.current_progress() is None


def test_the_line_on_the_terminal_says_how_much_is_done():
    line = _Line("Writing")
    assert line.__rich__() == "Writing …"
    with report_progress(Step("reading once more", 0)):
        assert line.__rich__() == "Writing: reading once more …"
    with report_progress(Step("reading once more", 8)) as step:
        step.add(2)
        assert line.__rich__() == "Writing: reading once more … 25%"


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_engines_tell_what_they_do_to_the_end(tmp_path, monkeypatch, suffix):
    steps = []

    def kept(self, *given, **named):
        plain(self, *given, **named)
        steps.append(self)

    plain = Step.__init__
    monkeypatch.setattr(Step, "__init__", kept)
    names = ("many", "small", "day")
    table = random_table(np.random.default_rng(1), 400, names=names)
    policy = la.Policy(quasi_identifiers={"many": la.prefix(), "day": la.dates()},
                       insensitive="small", require=la.KAnonymity(3), suppress=0.5)  # fmt: skip
    path = save(table, tmp_path / "in.parquet")
    if suffix == ".csv":
        path = tmp_path / "in.csv"
        la.tables.open.open_table(tmp_path / "in.parquet").write(path)
    release = la.anonymize(open_table(path), policy)
    release.write(tmp_path / f"out{suffix}")
    told = {step.what for step in steps}
    expected = {"reading", "writing", "reading once more"}
    assert told >= (expected if suffix == ".parquet" else {"counting", "recoding", "writing"})
    assert all(step.share == 1 for step in steps if step.what == "reading")
    assert progress.current_progress() is None
