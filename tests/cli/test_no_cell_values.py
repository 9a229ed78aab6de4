"""Nothing said shows a cell, unless asked to; and nothing is written over."""

from __future__ import annotations

import json

import pytest
from cli_program import listing

SECRET = "Xanthippe-4711"
HEAD = "age,zip,sick\n"
ROWS = "".join(f"{20 + i},0213{i % 4},flu\n" for i in range(8))
POLICY = """
sensitive = ["sick"]
[require]
k_anonymity = 2
[quasi_identifiers]
age = { bands = [2, 4, 8] }
zip = { prefix = true }
"""


@pytest.fixture
def planted(tmp_path):
    """Secrets where each kind of mistake would stumble over them."""
    (tmp_path / "p.toml").write_text(POLICY)
    (tmp_path / "good.csv").write_text(HEAD + ROWS)
    (tmp_path / "odd.csv").write_text(HEAD + ROWS + f"{SECRET},02139,flu\n")
    (tmp_path / "kept.csv").write_text(HEAD + ROWS.replace("flu", SECRET))
    (tmp_path / "wide.csv").write_text(HEAD + ROWS + f"20,02139,flu,{SECRET}\n")
    (tmp_path / "open.csv").write_text(HEAD + ROWS + f'20,"{SECRET},flu\n')
    (tmp_path / "tree.toml").write_text(
        POLICY.replace("{ bands = [2, 4, 8] }", '{ tree = { low = ["20"] } }')
    )
    return tmp_path


FAILING = [
    ("run", "odd.csv", "p.toml", "-o", "o.csv"),
    (
        "run",
        "odd.csv",
        "--qi",
        "age,zip",
        "--keep",
        "sick",
        "--hierarchy",
        "age=bands:5",
        "-o",
        "o.csv",
    ),
    ("explain", "odd.csv", "p.toml"),
    ("compare", "odd.csv", "p.toml"),
    ("solve", "odd.csv", "tree.toml", "-o", "s.json"),
    ("risk", "wide.csv", "--by", "age"),
    ("init", "open.csv"),
    ("run", "wide.csv", "p.toml", "-o", "o.csv"),
    ("release", "good.csv", "p.toml", "odd.csv", "-o", "o.csv"),
    ("verify", "good.csv", "--certificate", "odd.csv"),
    (
        "run",
        "kept.csv",
        "p.toml",
        "-o",
        "o.csv",
        "--by",
        "datafly",
        "--checks",
        "1",
        "--want",
        "optimal",
    ),
]


@pytest.mark.parametrize("typed", FAILING)
@pytest.mark.parametrize("more", [(), ("--json",), ("-v",)])
def test_a_failing_command_shows_no_cell(lookalike, planted, typed, more):
    before = listing(planted)
    ended = lookalike(*typed, *more)
    assert ended.code in (1, 5), ended.err
    assert SECRET not in ended.out + ended.err
    assert listing(planted) == before


def test_show_values_shows_them(lookalike, planted):
    typed = ("run", "odd.csv", "p.toml", "-o", "o.csv", "--show-values")
    assert SECRET in lookalike(*typed).err
    assert SECRET in json.dumps(lookalike(*typed, "--json").document["faults"])


def test_what_goes_well_shows_no_cell(lookalike, planted):
    for typed in (
        ("init", "kept.csv"),
        ("risk", "kept.csv", "--by", "age,sick"),
        ("explain", "kept.csv", "p.toml"),
        ("run", "kept.csv", "p.toml", "-o", "o.csv", "--solution", "s.json", "--events", "e.jsonl"),
        ("verify", "o.csv"),
        ("compare", "kept.csv", "p.toml"),
    ):
        for more in ((), ("--json", "-v", "--force") if typed[0] == "run" else ("--json", "-v")):
            ended = lookalike(*typed, *more)
            assert ended.code == 0, ended.err
            assert SECRET not in ended.out + ended.err
    for name in ("o.csv.certificate.json", "s.json", "e.jsonl"):
        assert SECRET not in (planted / name).read_text()


@pytest.mark.parametrize(
    "typed",
    [
        ("run", "good.csv", "p.toml", "-o", "good.csv"),
        ("run", "good.csv", "p.toml", "-o", "link.csv"),
        ("run", "good.csv", "p.toml", "-o", "o.csv", "--solution", "good.csv"),
        ("run", "good.csv", "p.toml", "-o", "o.csv", "--events", "p.toml"),
        ("run", "good.csv", "p.toml", "-o", "o.csv", "--save-policy", "p.toml"),
        ("init", "good.csv", "-o", "good.csv"),
        ("solve", "good.csv", "p.toml", "-o", "p.toml"),
        ("release", "good.csv", "p.toml", "s.csv", "-o", "good.csv"),
        ("release", "good.csv", "p.toml", "s.csv", "-o", "s.csv"),
    ],
)
def test_the_input_is_never_written_over(lookalike, planted, typed):
    lookalike("solve", "good.csv", "p.toml", "-o", "s.csv")
    (planted / "link.csv").hardlink_to(planted / "good.csv")
    before = {name: (planted / name).read_bytes() for name in listing(planted)}
    ended = lookalike(*typed, "--force")
    assert ended.code == 1
    assert "input" in ended.err
    assert {name: (planted / name).read_bytes() for name in listing(planted)} == before


def test_what_exists_is_replaced_only_with_force(lookalike, planted):
    names = ("o.csv", "o.csv.certificate.json", "s.json", "e.jsonl", "u.toml")
    typed = (
        "run", "good.csv", "p.toml", "-o", "o.csv", "--solution", "s.json", "--events", "e.jsonl",
        "--save-policy", "u.toml",
    )  # fmt: skip
    for name in names:
        (planted / name).write_text("precious")
        ended = lookalike(*typed)
        assert ended.code == 1
        assert f"{name}: the file exists" in ended.err
        assert (planted / name).read_text() == "precious"
        (planted / name).unlink()
    for name in names:
        (planted / name).write_text("precious")
    assert lookalike(*typed, "--force").code == 0
    assert all((planted / name).read_text() != "precious" for name in names)


def test_every_wrong_place_is_named_before_anything_is_read(lookalike, planted):
    ended = lookalike(
        "run", "no.csv", "no.toml", "-o", "nowhere/o.csv", "--solution", "x", "--events", "x"
    )
    assert ended.code == 1
    assert ended.err.startswith("5 faults in the input")


def test_names_cannot_steer_the_terminal(lookalike, tmp_path):
    (tmp_path / "t.csv").write_text("\x1b[31mage,zip\n" + "1,2\n" * 4)
    ended = lookalike("risk", "t.csv", "--by", "zip", "--by", "\x1b[31mage")
    assert ended.code == 0
    assert "\x1b" not in ended.out
    assert "\x1b" not in lookalike("risk", "t.csv", "--by", "nothing").err


def test_names_and_reasons_in_a_policy_do_not_reach_the_terminal_as_commands(tmp_path, lookalike):
    rows = "".join(f"{20 + n % 2},{n % 3},x\n" for n in range(12))
    (tmp_path / "t.csv").write_text(f"age,\x1b[31mill,kept\n{rows}")
    (tmp_path / "p.toml").write_text(
        'sensitive = ["\\u001b[31mill"]\ninsensitive = ["kept"]\n'
        'accept = { kept = "known.\\u001b[2K\\u009b2K" }\n'
        "[quasi_identifiers]\nage = { flat = true }\n"
        '[require]\nk_anonymity = 2\nl_diversity = { column = "\\u001b[31mill", l = 2 }\n'
    )
    for typed in (
        ("explain", "t.csv", "p.toml"),
        ("run", "t.csv", "p.toml", "-o", "r.csv"),
        ("verify", "r.csv"),
    ):
        ended = lookalike(*typed)
        assert ended.code == 0, ended.err
        assert not {"\x1b", "\x9b"} & set(ended.out + ended.err), typed
