"""Every command does what it says, to read and as JSON."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pyarrow.csv
import pyarrow.parquet as pq

from lookalike.policy.policy_file import load
from lookalike.search.auto_choice import names_to_compare


def test_init_drafts_a_policy_that_loads(lookalike, hospital):
    ended = lookalike("init", "patients.csv", "--k", 7)
    assert ended.code == 0
    (hospital / "draft.toml").write_text(ended.out)
    policy = load(hospital / "draft.toml").policy
    assert policy.smallest == 7
    assert policy.sensitive == ("diagnosis",)
    assert {"patient_id", "name"} <= set(policy.identifiers)
    assert "birth_date" in policy.names


def test_init_writes_to_a_file_once(lookalike, hospital):
    assert lookalike("init", "patients.csv", "-o", "draft.toml").out == ""
    first = (hospital / "draft.toml").read_bytes()
    again = lookalike("init", "patients.csv", "--k", 9, "-o", "draft.toml")
    assert again.code == 1
    assert "--force" in again.err
    assert (hospital / "draft.toml").read_bytes() == first
    assert lookalike("init", "patients.csv", "--k", 9, "-o", "draft.toml", "--force").code == 0
    assert load(hospital / "draft.toml").policy.smallest == 9


def test_init_json_holds_the_draft(lookalike, hospital):
    document = lookalike("init", "patients.csv", "--json").document
    assert "[quasi_identifiers]" in document["policy"]


def test_risk_says_who_stands_out(lookalike, hospital):
    ended = lookalike("risk", "patients.csv", "--by", "birth_date,zip,sex")
    assert ended.code == 0
    assert "are unique" in ended.out
    document = lookalike("risk", "patients.csv", "--by", "birth_date,zip,sex", "--json").document
    assert f"{document['unique']} rows" in ended.out
    assert document["columns"][0]["name"] == "birth_date"
    assert sum(bar["rows"] for bar in document["histogram"]) == document["rows"] == 400


def test_risk_takes_repeated_columns(lookalike, hospital):
    once = lookalike("risk", "patients.csv", "--by", "zip,sex", "--json").document
    twice = lookalike("risk", "patients.csv", "--by", "zip", "--by", "sex", "--json").document
    assert once == twice


def test_explain_shows_the_ladders(lookalike, hospital):
    ended = lookalike("explain", "patients.csv", "policy.toml")
    assert ended.code == 0
    assert "unchanged → month → year" in ended.out
    document = lookalike("explain", "patients.csv", "policy.toml", "--json").document
    assert document["nodes"] == 216
    assert document["algorithm"] == "flash"
    assert "█" in ended.out
    assert "Recoding, verifying and writing" in " ".join(ended.out.split())
    expected = document["expected"]
    assert 0 < expected["low"] < expected["high"]
    assert expected["sentence"].startswith("The search takes ")


def test_run_releases_a_verified_table(lookalike, hospital):
    ended = lookalike("run", "patients.csv", "policy.toml", "-o", "out.csv", "--solution", "s.json")
    assert ended.code == 0, ended.err
    table = pyarrow.csv.read_csv(hospital / "out.csv")
    assert "name" not in table.column_names
    groups = table.group_by(["birth_date", "zip", "sex", "ethnicity"])
    assert min(groups.aggregate([([], "count_all")]).column("count_all").to_pylist()) >= 3
    assert "finds 3 or more matching rows, or none" in " ".join(ended.out.split())
    assert "✓  truthful" in ended.out
    assert "✗" not in ended.out
    for private in ("out.csv", "s.json", "out.csv.certificate.json"):
        assert stat.S_IMODE((hospital / private).stat().st_mode) == 0o600


def test_run_json_is_one_document(lookalike, hospital):
    ended = lookalike("run", "patients.csv", "policy.toml", "-o", "out.parquet", "--json")
    document = ended.document
    assert document["certificate"]["verified"] is True
    assert document["solution"]["status"] == "optimal"
    assert (
        pq.read_table(document["release"]).num_rows == document["certificate"]["rows"]["released"]
    )


def test_quiet_says_nothing(lookalike, hospital):
    ended = lookalike("run", "patients.csv", "policy.toml", "-o", "out.csv", "--quiet")
    assert (ended.code, ended.out, ended.err) == (0, "", "")


def test_events_are_json_lines(lookalike, hospital):
    lookalike("run", "patients.csv", "policy.toml", "-o", "out.csv", "--events", "events.jsonl")
    lines = [json.loads(line) for line in (hospital / "events.jsonl").read_text().splitlines()]
    search = [line["event"] for line in lines if line["event"] != "phase"]
    assert [search[0], search[-1]] == ["started", "finished"]
    phases = [line["phase"] for line in lines if line["event"] == "phase"]
    assert phases == ["counting", "screening", "searching", "releasing", "writing"]
    assert stat.S_IMODE((hospital / "events.jsonl").stat().st_mode) == 0o600


def test_solve_then_release_is_run(lookalike, hospital):
    lookalike("run", "patients.csv", "policy.toml", "-o", "a.csv")
    solved = lookalike("solve", "patients.csv", "policy.toml", "-o", "s.json")
    assert solved.code == 0
    assert "would show" in solved.out
    assert stat.S_IMODE((hospital / "s.json").stat().st_mode) == 0o600
    assert lookalike("release", "patients.csv", "policy.toml", "s.json", "-o", "b.csv").code == 0
    same = [(hospital / f"{name}.csv").read_bytes() for name in "ab"]
    assert same[0] == same[1]
    same = [(hospital / f"{name}.csv.certificate.json").read_bytes() for name in "ab"]
    assert same[0] == same[1]


def test_solve_and_release_json(lookalike, hospital):
    document = lookalike("solve", "patients.csv", "policy.toml", "-o", "s.json", "--json").document
    assert document["solution"]["gap"] == 0
    assert "fingerprint" not in json.dumps(document)
    typed = ("release", "patients.csv", "policy.toml", "s.json", "-o", "b.csv", "--json")
    assert lookalike(*typed).document["certificate"]["verified"] is True


def test_compare_judges_all_by_one_bound(lookalike, hospital):
    ended = lookalike("compare", "patients.csv", "policy.toml", "--by", "flash,datafly")
    assert ended.code == 0
    assert "datafly" in ended.out
    assert "mingen" not in ended.out
    document = lookalike(
        "compare", "patients.csv", "policy.toml", "--by", "datafly", "--by", "mingen", "--json"
    ).document
    assert [row["algorithm"] for row in document["rows"]] == ["datafly", "mingen"]
    assert document["rows"][1]["gap_to_best_bound"] == 0


def test_compare_takes_every_algorithm_by_default(lookalike, hospital):
    typed = ("compare", "patients.csv", "policy.toml", "--seconds", "0.2", "--json")
    document = lookalike(*typed).document
    assert [row["algorithm"] for row in document["rows"]] == list(names_to_compare())


def test_an_algorithm_that_refuses_says_why(lookalike, tmp_path):
    names = [f"q{i}" for i in range(12)]
    rows = [",".join("1" for _ in names)] * 4
    (tmp_path / "wide.csv").write_text("\n".join([",".join(names), *rows]) + "\n")
    columns = "".join(f"{name} = {{ bands = [2, 4, 8, 16] }}\n" for name in names)
    text = f"[require]\nk_anonymity = 2\n[quasi_identifiers]\n{columns}"
    (tmp_path / "wide.toml").write_text(text)
    ended = lookalike("compare", "wide.csv", "wide.toml", "--by", "mingen,datafly")
    assert ended.code == 0
    assert "not run: the lattice has" in " ".join(ended.out.split())
    assert lookalike("run", "wide.csv", "wide.toml", "--by", "mingen", "-o", "o.csv").code == 1


def test_verify_finds_its_certificate(lookalike, hospital):
    lookalike("run", "patients.csv", "policy.toml", "-o", "out.csv", "--solution", "s.json")
    ended = lookalike("verify", "out.csv")
    assert ended.code == 0
    assert "All checks passed" in ended.out
    outside = lookalike("verify", "out.csv", "--json").document
    assert outside["passed"] is True
    inside = lookalike(
        "verify", "out.csv", "--original", "patients.csv", "--policy", "policy.toml",
        "--solution", "s.json", "--json",
    ).document  # fmt: skip
    assert "optimality" in {finding["check"] for finding in inside["findings"]}
    assert len(inside["findings"]) > len(outside["findings"])


def test_verify_needs_no_certificate_when_it_has_everything_else(lookalike, hospital):
    lookalike("run", "patients.csv", "policy.toml", "-o", "out.csv", "--solution", "s.json")
    Path("out.csv.certificate.json").unlink()
    inside = ("--original", "patients.csv", "--policy", "policy.toml", "--solution", "s.json")
    assert lookalike("verify", "out.csv", *inside).code == 0
    assert lookalike("verify", "out.csv").code == 1


def test_verbose_logs_sql_to_stderr_and_only_then(lookalike, hospital):
    loud = lookalike("risk", "patients.csv", "--by", "zip", "-v", "--json")
    assert "SELECT" in loud.err
    assert loud.document["rows"] == 400
    assert lookalike("risk", "patients.csv", "--by", "zip", "--json").err == ""


def test_without_a_bound_nobody_says_that_it_is_known_how_good_it_is(lookalike, hospital):
    limits = ("--checks", "2", "--want", "feasible")
    typed = ("patients.csv", "policy.toml", *limits, "-o")
    document = lookalike("run", *typed, "out.parquet", "--json").document
    assert document["solution"]["gap"] > 0.999
    for ended in (lookalike("run", *typed, "out.csv"), lookalike("solve", *typed, "s.json")):
        quality = ended.out.partition("Quality")[2].partition("Checked")[0]
        said = " ".join(quality.split())
        assert ended.code == 0, ended.err
        assert "no useful lower bound is known" in said
        assert "--seconds" in said
        assert "could be saved" not in said
        assert "how good is known" not in said


def test_verify_says_what_only_the_holder_can_check(lookalike, hospital):
    lookalike("run", "patients.csv", "policy.toml", "-o", "out.csv", "--solution", "s.json")
    outside = " ".join(lookalike("verify", "out.csv").out.split())
    _, _, unseen = outside.partition("Not checked")
    assert outside.endswith("All checks passed.")
    for part in ("come from the original", "cost", "proof", "not signed", "the data holder"):
        assert part in unseen
    assert "add --original, --policy and --solution" in unseen
    assert len(lookalike("verify", "out.csv", "--json").document["not_checked"]) == 6
    inside = ("--original", "patients.csv", "--policy", "policy.toml", "--solution", "s.json")
    assert "Not checked" not in lookalike("verify", "out.csv", *inside).out
    assert lookalike("verify", "out.csv", *inside, "--json").document["not_checked"] == []


def test_a_certificate_that_contradicts_its_table_ends_with_4(lookalike, hospital):
    lookalike("run", "patients.csv", "policy.toml", "-o", "out.csv")
    path = hospital / "out.csv.certificate.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    content["promise"] = ["100-anonymity: nobody stands out"]
    path.write_text(json.dumps(content), encoding="utf-8")
    ended = lookalike("verify", "out.csv")
    assert ended.code == 4
    assert "The promise is not what the certificate requires" in " ".join(ended.out.split())


def test_the_steward_reads_how_many_rows_were_eligible(lookalike, hospital):
    policy = hospital / "policy.toml"
    text = policy.read_text(encoding="utf-8")
    policy.write_text(f'{text}\n[eligible]\nsex = ["F"]\n', encoding="utf-8")
    women = sum(",F," in line for line in (hospital / "patients.csv").read_text().splitlines())
    said = f"{women} of 400 rows of the table were eligible"
    ended = lookalike("run", "patients.csv", "policy.toml", "-o", "out.csv", "--solution", "s.json")
    assert ended.code == 0, ended.err
    assert " ".join(ended.out.split()).count(said) == 2  # in the summary, and as it was checked
    inside = ("--original", "patients.csv", "--policy", "policy.toml", "--solution", "s.json")
    assert said in " ".join(lookalike("verify", "out.csv", *inside).out.split())
    outside = " ".join(lookalike("verify", "out.csv").out.split())
    assert said not in outside
    assert "how many rows were eligible" in outside.partition("Not checked")[2]
    explained = " ".join(lookalike("explain", "patients.csv", "policy.toml").out.split())
    assert f"{women} of 400 rows of the table are eligible" in explained


def test_the_factor_of_meyerson_and_williams_is_read_with_the_release(lookalike, hospital):
    policy = hospital / "policy.toml"
    text = policy.read_text(encoding="utf-8")
    starred = text.replace("suppress = 0.02", 'model = "CS"').replace('"optimal"', '"feasible"')
    policy.write_text(starred, encoding="utf-8")
    ended = lookalike(
        "run", "patients.csv", "policy.toml", "-o", "out.csv", "--by", "meyerson-williams"
    )
    assert ended.code == 0, ended.err
    assert "at most 6.11 times the fewest cells" in " ".join(ended.out.split())
    assert "if it was run as named, which is not checked" in " ".join(ended.out.split())
