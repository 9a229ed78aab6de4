"""Pseudonyms from the command line: a key is made, given by its file, and never shown."""

from __future__ import annotations

import csv
import stat
from pathlib import Path

from cli_program import Program


def keyed(hospital: Path, form: str = "") -> None:
    """The hospital's policy, with pseudonyms of patients in place of nothing."""
    text = (hospital / "policy.toml").read_text()
    text = text.replace('identifiers = ["patient_id", "name"]', 'identifiers = ["name"]')
    text = 'pseudonyms = ["patient_id"]\n' + text if not form else text + form
    (hospital / "policy.toml").write_text(text)


def patients(path: Path) -> list[str]:
    with path.open(encoding="utf-8") as file:
        return [row["patient_id"] for row in csv.DictReader(file)]


def test_from_a_key_to_a_verified_release(lookalike: Program, hospital: Path) -> None:
    keyed(hospital)
    made = lookalike("key", "secret.key")
    assert made.code == 0
    assert stat.S_IMODE((hospital / "secret.key").stat().st_mode) == 0o600
    secret = (hospital / "secret.key").read_text().strip()
    ended = lookalike(
        "run", "patients.csv", "policy.toml", "-o", "out.csv", "--key", "secret.key",
        "--solution", "s.json", "--save-policy", "used.toml", "-v",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    assert "keyed token" in ended.out
    shown = patients(hospital / "out.csv")
    assert len(set(shown)) == len(shown)
    assert not set(shown) & set(patients(hospital / "patients.csv"))
    again = lookalike(
        "release", "patients.csv", "used.toml", "s.json", "-o", "b.csv", "--key", "secret.key"
    )
    assert again.code == 0, again.err
    assert (hospital / "b.csv").read_bytes() == (hospital / "out.csv").read_bytes()
    outside = lookalike("verify", "out.csv")
    assert outside.code == 0
    assert "which can be checked only with the key" in " ".join(outside.out.split())
    inside = ("verify", "out.csv", "--original", "patients.csv", "--policy", "policy.toml",
              "--solution", "s.json")  # fmt: skip
    assert lookalike(*inside, "--key", "secret.key").code == 0
    without = lookalike(*inside)
    assert without.code == 1
    assert "--key FILE" in without.err
    lookalike("key", "other.key")
    assert lookalike(*inside, "--key", "other.key").code == 4
    explained = lookalike("explain", "patients.csv", "policy.toml")
    assert "pseudonym" in explained.out
    for one in (made, ended, again, outside, without):
        assert secret not in one.out + one.err
    for path in hospital.iterdir():
        if path.name != "secret.key":
            assert secret not in path.read_text(encoding="utf-8", errors="replace")


def test_a_key_is_never_replaced(lookalike: Program, hospital: Path) -> None:
    keyed(hospital)
    lookalike("key", "secret.csv")
    before = (hospital / "secret.csv").read_bytes()
    assert lookalike("key", "secret.csv").code == 1
    ended = lookalike("run", "patients.csv", "policy.toml", "-o", "secret.csv", "--key",
                      "secret.csv", "--force")  # fmt: skip
    assert ended.code == 1
    assert "never replaced" in ended.err
    assert (hospital / "secret.csv").read_bytes() == before


def test_without_a_key_nothing_is_searched(lookalike: Program, hospital: Path) -> None:
    keyed(hospital)
    ended = lookalike("run", "patients.csv", "policy.toml", "-o", "out.csv", "--solution", "s.json")
    assert ended.code == 1
    assert "lookalike key FILE" in ended.err
    assert not (hospital / "s.json").exists()


def test_a_key_typed_for_its_file_is_not_repeated(lookalike: Program, hospital: Path) -> None:
    keyed(hospital)
    typed = "c0ffee" * 11
    ended = lookalike(
        "run", "patients.csv", "policy.toml", "-o", "out.csv", "--key", typed, "--json"
    )
    assert ended.code == 1
    assert "c0ffee" not in ended.out + ended.err
    assert ended.document["faults"][0]["where"] == "key"


def test_a_key_that_others_can_read_is_refused(lookalike: Program, hospital: Path) -> None:
    keyed(hospital)
    lookalike("key", "secret.key")
    (hospital / "secret.key").chmod(0o644)
    ended = lookalike("run", "patients.csv", "policy.toml", "-o", "o.csv", "--key", "secret.key")
    assert ended.code == 1
    assert "chmod o-rwx" in ended.err


def test_values_without_a_pseudonym_are_found_before_the_search(
    lookalike: Program, hospital: Path
) -> None:
    rows = (hospital / "patients.csv").read_text().splitlines()
    at = rows[0].split(",").index("patient_id")
    short = rows[1].split(",")
    short[at] = "Q7"
    (hospital / "patients.csv").write_text("\n".join([rows[0], ",".join(short), *rows[2:]]) + "\n")
    keyed(hospital, '\n[pseudonyms]\npatient_id = { format = "keep" }\n')
    lookalike("key", "secret.key")
    ended = lookalike("run", "patients.csv", "policy.toml", "-o", "out.csv", "--key", "secret.key",
                      "--solution", "s.json")  # fmt: skip
    assert ended.code == 1
    assert "pseudonyms.patient_id: 1 different value has a form" in ended.err
    assert "Q7" not in ended.err
    assert not (hospital / "s.json").exists()
