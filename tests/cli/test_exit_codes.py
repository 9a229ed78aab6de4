"""Each way to end has its number, and a command that fails leaves nothing behind."""

from __future__ import annotations

import contextlib
import json
import signal

import pytest
from cli_program import listing

TABLE = "age,zip,sick\n" + "".join(f"{20 + i},0213{i % 4},flu\n" for i in range(8))
POLICY = """
sensitive = ["sick"]
[require]
k_anonymity = 2
[quasi_identifiers]
age = { bands = [2, 4, 8] }
zip = { prefix = true }
"""


@pytest.fixture
def small(tmp_path):
    (tmp_path / "t.csv").write_text(TABLE)
    (tmp_path / "p.toml").write_text(POLICY)
    return tmp_path


def test_1_a_policy_that_does_not_fit(lookalike, small):
    (small / "p.toml").write_text(POLICY.replace('"sick"', '"ill"'))
    before = listing(small)
    ended = lookalike("run", "t.csv", "p.toml", "-o", "o.csv")
    assert ended.code == 1
    assert ended.out == ""
    assert ended.err.startswith("2 faults in the policy\n  1. sensitive.ill: ")
    assert "\n     fix: " in ended.err
    assert listing(small) == before


def test_1_a_table_that_is_not_there(lookalike, small):
    for typed in (
        ("run", "no.csv", "p.toml", "-o", "o.csv"),
        ("risk", "no.csv", "--by", "age"),
        ("init", "no.csv"),
        ("explain", "no.csv", "p.toml"),
        ("explain", "t.csv", "no.toml"),
        ("solve", "no.csv", "p.toml", "-o", "s.json"),
        ("release", "t.csv", "p.toml", "no.json", "-o", "o.csv"),
        ("compare", "no.csv", "p.toml"),
        ("verify", "no.csv"),
    ):
        before = listing(small)
        ended = lookalike(*typed)
        assert (ended.code, ended.out) == (1, ""), typed
        assert "fix: " in ended.err
        assert listing(small) == before
        document = lookalike(*typed, "--json").document
        assert document["error"] in ("TableError", "FileError", "PolicyError")
        assert set(document["faults"][0]) == {"where", "problem", "fix"}


def test_1_an_algorithm_that_does_not_exist(lookalike, small):
    for typed in (
        ("run", "t.csv", "p.toml", "-o", "o.csv", "--by", "flsh"),
        ("compare", "t.csv", "p.toml", "--by", "flsh,datafly"),
    ):
        ended = lookalike(*typed)
        assert ended.code == 1
        assert "no such algorithm" in ended.err


def test_1_a_place_that_cannot_be_written_is_named_and_is_no_fault_of_the_table(lookalike, small):
    (small / "there.csv").write_text("x")
    for out, problem in (
        (".", "1. .: this is a folder"),
        ("no/o.csv", "1. o.csv: its folder does not exist"),
        ("there.csv", "1. there.csv: the file exists"),
        ("o.xlsx", "1. o.xlsx: unrecognized file extension"),
    ):
        ended = lookalike("run", "t.csv", "p.toml", "-o", out)
        assert ended.code == 1
        assert problem in ended.err
        assert ended.err.partition("\n")[0].endswith(" in the files")
    assert "1. .: there is no Parquet file in it" in lookalike("risk", ".", "--by", "age").err
    assert lookalike("verify", ".").code == 1
    assert "1. .: this is a folder" in lookalike("init", "t.csv", "-o", ".").err


def test_2_usage_is_typers(lookalike, small):
    for typed in (
        ("run", "t.csv", "p.toml"),
        ("run", "t.csv", "-o", "o.csv"),
        ("run", "t.csv", "p.toml", "--qi", "age", "-o", "o.csv"),
        ("run", "t.csv", "p.toml", "--k", "1", "-o", "o.csv"),
        ("check", "t.csv"),
        ("verify", "t.csv", "--original", "t.csv"),
        ("nonsense",),
    ):
        ended = lookalike(*typed)
        assert (ended.code, ended.out) == (2, ""), typed


def test_3_infeasible(lookalike, small):
    policy = POLICY.replace("prefix = true", "prefix = true, levels = [0, 0]")
    (small / "p.toml").write_text(policy.replace("k_anonymity = 2", "k_anonymity = 3"))
    before = listing(small)
    for command, out in (("run", "o.csv"), ("solve", "s.json")):
        ended = lookalike(command, "t.csv", "p.toml", "-o", out)
        assert (ended.code, ended.out) == (3, "")
        assert ended.err.startswith("1 fault in the request")
        document = lookalike(command, "t.csv", "p.toml", "-o", out, "--json").document
        assert document["error"] == "Infeasible"
        assert listing(small) == before


def test_4_a_release_that_was_tampered_with(lookalike, small):
    lookalike("run", "t.csv", "p.toml", "-o", "o.csv")
    text = (small / "o.csv").read_text()
    (small / "o.csv").write_text(text.replace("flu", "cold", 1))
    ended = lookalike("verify", "o.csv")
    assert ended.code == 4
    assert "✗" in ended.out
    assert "fault in the release" in ended.err
    document = lookalike("verify", "o.csv", "--json").document
    assert document["passed"] is False
    assert document["error"] == "ReleaseRefused"
    assert lookalike("verify", "o.csv", "--quiet").out == ""


def forged(content, how):
    if how == "levels finer":
        content["levels"] = dict.fromkeys(content["levels"], 0)
    elif how == "levels beyond the top":
        content["levels"] = dict.fromkeys(content["levels"], 99)
    elif how == "other columns":
        content["levels"] = {"zip": 1, "age": 1}
    elif how == "one column less":
        content["levels"] = {"age": 1}
    elif how == "proof":
        content["proof"]["nodes"] = content["proof"]["nodes"][:1]
    elif how == "proof beyond the lattice":
        content["proof"]["nodes"] = [[99, 99]]
    elif how == "proof of another table":
        content["proof"]["fingerprint"] = "0" * 64
    elif how == "cost":
        content["cost"] = content["bound"] = content["cost"] / 2
    elif how == "suppressed":
        content["suppressed"] += 1
    elif how == "metric":
        content["metric"] = "loss"
    return content


@pytest.mark.parametrize(
    ("how", "code"),
    [
        ("levels finer", 1),
        ("levels beyond the top", 1),
        ("other columns", 1),
        ("one column less", 1),
        ("cost", 1),
        ("suppressed", 1),
        ("metric", 1),
        ("proof", 4),
        ("proof beyond the lattice", 4),
        ("proof of another table", 4),
    ],
)
def test_a_solution_that_does_not_fit_is_bad_input_and_a_wrong_proof_is_refused(
    lookalike, small, how, code
):
    lookalike("solve", "t.csv", "p.toml", "-o", "s.json")
    content = forged(json.loads((small / "s.json").read_text()), how)
    (small / "s.json").write_text(json.dumps(content))
    before = listing(small)
    ended = lookalike("release", "t.csv", "p.toml", "s.json", "-o", "o.csv")
    assert (ended.code, ended.out) == (code, ""), ended.err
    assert ("1. solution: " in ended.err) == (code == 1)
    assert listing(small) == before


def test_1_a_solution_for_another_policy_says_so(lookalike, small):
    lookalike("solve", "t.csv", "p.toml", "-o", "s.json")
    policy = (small / "p.toml").read_text()
    for old, new, said in [
        ("k_anonymity = 2", "k_anonymity = 3", "it was made for another policy"),
        ("k_anonymity = 2", 'k_anonymity = 2\n[spend]\nmetric = "loss"', "metric: precision in"),
    ]:
        assert old in policy
        (small / "other.toml").write_text(policy.replace(old, new))
        ended = lookalike("release", "t.csv", "other.toml", "s.json", "-o", "o.csv", "--json")
        assert ended.code == 1
        [fault] = ended.document["faults"]
        assert (ended.document["error"], fault["where"]) == ("PolicyError", "solution")
        assert said in fault["problem"]


def test_5_weaker_than_wanted(lookalike, small):
    before = listing(small)
    typed = ("run", "t.csv", "p.toml", "-o", "o.csv", "--by", "datafly", "--want", "optimal")
    limited = (*typed, "--checks", "1")
    ended = lookalike(*limited)
    assert ended.code == 5
    assert ended.err.startswith("1 fault in the result")
    assert listing(small) == before
    assert lookalike(*limited, "--json").document["error"] == "NotProven"


def test_5_keeps_the_solution_where_asked_to(lookalike, hospital):
    typed = ("run", "patients.csv", "policy.toml", "-o", "o.csv", "--by", "datafly")
    ended = lookalike(*typed, "--k", "20", "--want", "optimal", "--solution", "s.json")
    assert ended.code == 5, ended.err
    assert "s.json" in listing(hospital)
    assert "o.csv" not in listing(hospital)


def test_70_a_bug_shows_its_place_and_not_its_message(lookalike, small, monkeypatch):
    def broken(*given: object, **named: object) -> None:
        raise RuntimeError("the cell holds SECRET")

    monkeypatch.setattr("lookalike.api.risk", broken)
    ended = lookalike("risk", "t.csv", "--by", "age")
    assert ended.code == 70
    assert ended.err.startswith("internal error: RuntimeError at lookalike/cli/")
    assert "--show-values" in ended.err
    assert "SECRET" not in ended.err
    assert "SECRET" not in json.dumps(lookalike("risk", "t.csv", "--by", "age", "--json").document)


def test_130_ctrl_c_while_counting(lookalike, small, monkeypatch):
    def pressed(*given: object, **named: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("lookalike.pipeline.prepare", pressed)
    ended = lookalike("run", "t.csv", "p.toml", "-o", "o.csv", "--json")
    assert ended.document["error"] == "Interrupted"
    assert ended.code == 130
    assert "before anything was written" in ended.err


def test_130_also_when_an_engine_swallows_it(lookalike, small, monkeypatch):
    def swallowed(table: object, columns: object, **named: object) -> None:
        with contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("lookalike.api.risk", swallowed)
    assert lookalike("risk", "t.csv", "--by", "age").code == 130


def test_130_also_when_an_engine_makes_an_error_of_it(lookalike, small, monkeypatch):
    def translated(table: object, columns: object, **named: object) -> None:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise RuntimeError("Query interrupted") from None

    monkeypatch.setattr("lookalike.api.risk", translated)
    assert lookalike("risk", "t.csv", "--by", "age").code == 130


def test_130_while_writing_does_not_say_that_nothing_was_written(lookalike, small, monkeypatch):
    def pressed(*given: object, **more: object) -> None:
        raise KeyboardInterrupt

    lookalike("solve", "t.csv", "p.toml", "-o", "s.json")
    monkeypatch.setattr("lookalike.releasing.release.Release.write", pressed)
    ended = lookalike("release", "t.csv", "p.toml", "s.json", "-o", "o.csv")
    assert ended.code == 130
    assert "while writing" in ended.err
