"""The checker in one file agrees with ``la.verify``, on true releases and on sabotaged ones.

The law: it never exits with 0 where ``la.verify`` refuses, and never fails a release that
``la.verify`` accepts. Where it cannot tell, it exits with 5 and says why.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import random
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import certificate_mutations
import pyarrow as pa
import pytest
from certificate_mutations import KINDS
from effort import THOROUGH
from sabotaged import SPOILS, as_kind, patients, policy

import lookalike as la
from lookalike.solution import solution_file
from lookalike.tables import open_table

PATH = Path(__file__).parents[2] / "tools" / "check_release.py"
HOLDS, FAILED, NOT_ALL = 0, 4, 5
RELEASES = 500 if THOROUGH else 16
NOT_DONE = {"cuts", "cell map, a guarantee", "pseudonyms", "differential privacy"}
FULLY_CHECKED = set(KINDS) - NOT_DONE
JOBS = [["nurse", "care"], ["doctor", "care"], ["smith", "craft"], ["baker", "craft"]]


def load() -> Any:
    spec = spec_from_file_location("check_release", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CHECKER = load()


def check(*arguments: object) -> int:
    """The exit code of the checker, run in this process."""
    argv = ["check_release.py", *map(str, arguments)]
    with mock.patch.object(sys, "argv", argv), contextlib.redirect_stdout(io.StringIO()) as out:
        code: int = CHECKER.main()
    assert out.getvalue()
    return code


def verified(*arguments: Any, **inside: Any) -> bool:
    """Does la.verify accept it? A refusal to read it is not an acceptance."""
    try:
        return la.verify(*arguments, **inside).passed
    except la.LookalikeError:
        return False


class Made:
    """A release in a folder, with all that it was made from."""

    def __init__(self, folder: Path, table: pa.Table, asked: la.Policy, by: Any = None) -> None:
        folder.mkdir(exist_ok=True)
        self.policy = asked
        self.original = as_kind(table, "csv", folder, "original")
        self.policy_file, self.solution_file = folder / "policy.toml", folder / "solution.json"
        asked.save(self.policy_file)
        release = la.anonymize(self.original, asked, by=by)
        self.release = release.write(folder / "out.csv")
        self.certificate = folder / "out.csv.certificate.json"
        self.solution = release.solution
        self.save(release.solution)

    def save(self, solution: la.Solution) -> None:
        self.solution = solution
        self.solution_file.write_text(solution_file.dumps(solution))

    def outside(self) -> tuple[int, bool]:
        """What the checker and la.verify say of release and certificate."""
        return check(self.release), verified(self.release)

    def inside(self) -> tuple[int, bool]:
        """What both say with the original, and without the certificate."""
        files = ["--original", self.original, "--policy", self.policy_file]
        code = check(self.release, *files, "--solution", self.solution_file)
        given = {"original": self.original, "policy": self.policy, "solution": self.solution}
        return code, verified(self.release, **given)

    def rows(self) -> list[dict[str, Any]]:
        table = open_table(self.release)
        rows = table.text_rows(table.columns).to_pylist()
        return [dict(zip(table.columns, row.values(), strict=True)) for row in rows]

    def replace_rows(self, rows: list[dict[str, Any]], *, forged: bool) -> None:
        """Other rows; with ``forged``, the certificate has their digest."""
        names = list(rows[0]) if rows else []
        table = pa.table({n: pa.array([row[n] for row in rows], pa.string()) for n in names})
        open_table(table).write(self.release)
        if forged:
            self.edit(lambda content: content.update(release_digest=open_table(table).digest()))

    def edit(self, change: Callable[[dict[str, Any]], object]) -> None:
        content = json.loads(self.certificate.read_text())
        change(content)
        self.certificate.write_text(json.dumps(content))


def agree(verdict: tuple[int, bool]) -> bool:
    """Checker and la.verify do not contradict each other."""
    code, passed = verdict
    return code in (HOLDS, NOT_ALL) if passed else code != HOLDS


def random_table(rng: random.Random) -> pa.Table:
    rows = rng.randint(8, 60)
    columns = {
        "name": [f"person {i}" for i in range(rows)],
        "age": [str(rng.choice([rng.randint(20, 60), 35, 36])) for _ in range(rows)],
        "zip": [rng.choice(["02138", "02139", "0214", "99999", None]) for _ in range(rows)],
        "born": [f"19{rng.randint(60, 79)}-0{rng.randint(1, 9)}-11" for _ in range(rows)],
        "job": [rng.choice(["nurse", "doctor", "smith", "baker"]) for _ in range(rows)],
        "sex": [rng.choice(["f", "m", "m"]) for _ in range(rows)],
        "sick": [rng.choice(["flu", "cold", "", 'go"ut, acute', None]) for _ in range(rows)],
    }
    return pa.table({name: pa.array(cells, pa.string()) for name, cells in columns.items()})


HIERARCHIES = {
    "age": la.bands(5, 10, 20),
    "zip": la.prefix(),
    "born": la.dates(),
    "job": la.tree(JOBS),
    "sex": la.flat(),
}
MORE = (
    la.DistinctDiversity("sick", 2), la.EntropyDiversity("sick", 1.5), la.AverageRisk(0.4),
    la.RecursiveDiversity("sick", 3, 2), la.AlphaK("sick", 0.8, 2), la.MaximumRisk(0.4),
    la.BetaLikeness("sick", 2), la.BetaLikeness("sick", 3, "enhanced"), la.TCloseness("sick", 0.6),
    la.AlphaK("sick", 0.7, 2, "flu"),
)  # fmt: skip


def random_policy(rng: random.Random) -> la.Policy:
    quasi = rng.sample(sorted(HIERARCHIES), rng.randint(1, 4))
    require: list[Any] = [la.KAnonymity(rng.randint(2, 4))]
    in_scope = rng.random() < 0.5  # the checker can check all of it with the original
    if not in_scope and rng.random() < 0.6:
        require.append(rng.choice(MORE))
    metrics = ["precision", "loss"] if in_scope else ["precision", "entropy", "discernibility"]
    return la.Policy(
        quasi_identifiers={name: HIERARCHIES[name] for name in quasi},
        identifiers="name",
        sensitive="sick",
        insensitive=[name for name in HIERARCHIES if name not in quasi],
        require=require,
        suppress=rng.choice([0, 3, 0.1, 0.3]),
        metric=rng.choice(metrics),
        weights={quasi[0]: rng.choice([1.0, 3.0])},
        conventions=la.Conventions(suppressed="drop" if in_scope else rng.choice(["drop", "star"])),
    )


def in_scope(asked: la.Policy) -> bool:
    """Can the checker check everything with the original?"""
    sizes = all(isinstance(rule, la.KAnonymity | la.MaximumRisk) for rule in asked.require)
    by = asked.metric.name in ("precision", "loss")
    return sizes and by and asked.conventions.suppressed == "drop"


def random_release(rng: random.Random, folder: Path) -> Made:
    """Some policies ask for too much; another table is then drawn."""
    while True:
        with contextlib.suppress(la.LookalikeError):
            return Made(folder, random_table(rng), random_policy(rng))


def other_cell(rng: random.Random, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    name = rng.choice(list(rows[0]))
    rng.choice(rows)[name] = rng.choice([rng.choice(rows)[name], "*", None, "", "x"])
    return rows


def swapped(rng: random.Random, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    name, one, other = rng.choice(list(rows[0])), rng.choice(rows), rng.choice(rows)
    one[name], other[name] = other[name], one[name]
    return rows


SABOTAGE: list[Callable[[random.Random, list[dict[str, Any]]], list[dict[str, Any]]]] = [
    other_cell,
    swapped,
    lambda rng, rows: [*rows, rng.choice(rows)],
    lambda rng, rows: rows[1:] or rows * 2,
    lambda rng, rows: [*rows[1:], rng.choice(rows)],
    lambda rng, rows: sorted(rows, key=lambda row: rng.random()),
    lambda rng, rows: [dict(reversed(row.items())) for row in rows],
    lambda rng, rows: [{"name": f"person {i}", **row} for i, row in enumerate(rows)],
    lambda rng, rows: [dict(list(row.items())[1:]) for row in rows],
]


@pytest.mark.parametrize("seed", range(4))
def test_random_releases_have_the_same_verdict(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    for number in range(RELEASES // 4):
        made = random_release(rng, tmp_path / str(number))
        outside, inside = made.outside(), made.inside()
        assert outside == (HOLDS, True)
        assert inside == (HOLDS if in_scope(made.policy) else NOT_ALL, True)


@pytest.mark.parametrize("seed", range(4))
def test_sabotaged_releases_have_the_same_verdict(seed: int, tmp_path: Path) -> None:
    rng = random.Random(100 + seed)
    refused = 0
    for number in range(RELEASES // 4):
        made = random_release(rng, tmp_path / str(number))
        rows = rng.choice(SABOTAGE)(rng, made.rows())
        made.replace_rows(rows, forged=rng.random() < 0.7)
        outside, inside = made.outside(), made.inside()
        assert agree(outside)
        assert agree(inside)
        if in_scope(made.policy):
            assert inside[0] == (HOLDS if inside[1] else FAILED)
        refused += not outside[1]
    assert refused


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return Made(tmp_path_factory.mktemp("made"), patients(), policy())


def test_every_spoiled_release_is_refused_with_the_original(made: Made, tmp_path: Path) -> None:
    good, rows = made.release.read_bytes(), made.rows()
    for name, spoil in SPOILS.items():
        made.replace_rows(spoil([dict(row) for row in rows]), forged=False)
        assert made.inside() == (FAILED, False), name
        assert made.outside() == (FAILED, False), name
    made.release.write_bytes(good)
    assert made.inside() == (HOLDS, True)


FORGED: dict[str, Callable[[la.Solution], dict[str, Any]]] = {
    "a lower cost": lambda s: {"cost": s.cost / 2, "bound": s.cost / 2},
    "a higher cost": lambda s: {"cost": s.cost * 2, "bound": s.cost * 2},
    "fewer suppressed": lambda s: {"suppressed": s.suppressed - 1},
    "more rows": lambda s: {"rows": s.rows + 1},
    "more classes": lambda s: {"classes": s.classes + 1},
    "another metric": lambda s: {"metric": "discernibility"},
    "other levels": lambda s: {"recoding": replace(s.recoding, levels=(1, 1, 1))},
    "levels that are not there": lambda s: {"recoding": replace(s.recoding, levels=(99, 1, 1))},
    "no proof": lambda s: {"proof": replace(s.proof, nodes=())},
    "the answer as its own proof": lambda s: {
        "proof": replace(s.proof, nodes=(s.recoding.levels,))
    },
    "nodes outside": lambda s: {"proof": replace(s.proof, nodes=(*s.proof.nodes, (9, 9, 9)))},
    "another table's proof": lambda s: {"proof": replace(s.proof, fingerprint="0" * 64)},
}


@pytest.mark.parametrize("forged", FORGED)
def test_a_forged_solution_is_refused(forged: str, made: Made) -> None:
    true = made.solution
    made.save(replace(true, **FORGED[forged](true)))
    try:
        assert made.inside() == (FAILED, False)
    finally:
        made.save(true)


def read_solution(made: Made, text: str) -> tuple[int, bool]:
    """What both say of this text as a solution file."""
    made.solution_file.write_text(text)
    files = ["--original", made.original, "--policy", made.policy_file]
    code = check(made.release, *files, "--solution", made.solution_file)
    try:
        solution = solution_file.loads(text)
    except la.LookalikeError:
        return code, False
    given = {"original": made.original, "policy": made.policy, "solution": solution}
    return code, verified(made.release, **given)


def test_where_a_changed_solution_file_is_refused_the_checker_does_not_accept_it(
    made: Made,
) -> None:
    """Each field changed, removed or of another type; also what only JSON readers would see."""
    good = solution_file.dumps(made.solution)
    changed = list(certificate_mutations.mutations(json.loads(good)))
    texts = [json.dumps(mutant) for _, _, mutant in changed[:: 1 if THOROUGH else 5]]
    texts += [
        good.replace('"nodes": [', '"nodes": [[true, 0, 0], ', 1),
        good.replace('"seed": 0', '"seed": NaN'),
        good.replace('"seed": 0', '"seed": 1, "seed": 0'),
        good.replace('"by": "nodes"', '"by": "garbage"'),
        good.replace('"stop": "finished"', '"stop": "tired"'),
        good.replace('"format"', '"more": 1, "format"'),
        "[" * 100_000,
    ]
    try:
        for text in texts:
            assert agree(read_solution(made, text)), text[:200]
        assert read_solution(made, good) == (HOLDS, True)
    finally:
        made.save(made.solution)


@pytest.mark.parametrize(
    "change",
    [lambda t: t.replace('"rows": {', '"rows": {}, "rows": {'),
     lambda t: t.replace('"k_anonymity": ', '"k_anonymity": 50, "k_anonymity": '),
     lambda t: t.replace('"format"', '"more": NaN, "format"'),
     lambda t: t.replace('"format"', '"more": ' + "[" * 100_000 + "]" * 100_000 + ', "format"'),
     lambda t: t.encode("utf-16"),
     lambda t: t.replace('"accepted": {},', ""),
     lambda t: t.replace('"format"', '"more": 1e999, "format"'),
     lambda t: t.replace('"format"', f'"more": {2**63}, "format"'),
     lambda t: t.replace('"format"', '"more": "\\ud800", "format"')],
    ids=["a part twice", "a number twice", "NaN", "too deep", "UTF-16", "nothing accepted",
         "infinity", "a huge number", "half of a character"],
)  # fmt: skip
def test_a_certificate_with_two_meanings_is_refused(made: Made, change: Any) -> None:
    good = made.certificate.read_bytes()
    changed = change(good.decode())
    made.certificate.write_bytes(changed if isinstance(changed, bytes) else changed.encode())
    try:
        assert made.certificate.read_bytes() != good
        code, passed = made.outside()
        assert not passed
        assert code not in (HOLDS, NOT_ALL)
    finally:
        made.certificate.write_bytes(good)


@pytest.mark.parametrize(
    "change",
    [lambda t: t.replace(b"\n", b",\n"), lambda t: t[:-1] + b",\n", lambda t: t + b"\n\n",
     lambda t: t.replace(b"\n", b"\n\n"), lambda t: b"sep=,\n" + t, lambda t: t.replace(b",", b";"),
     lambda t: t.decode().encode("utf-16"), lambda t: t.replace(b"\n", b"\r"),
     lambda t: t.replace(b"\n", b"\r\n", 1), lambda t: t.replace(b"\n", b"\n\r", 1)],
    ids=range(10),
)  # fmt: skip
def test_a_file_that_programs_read_in_different_ways_is_refused(made: Made, change: Any) -> None:
    good = made.release.read_bytes()
    made.release.write_bytes(change(good))
    try:
        for code, passed in (made.outside(), made.inside()):
            assert not passed
            assert code not in (HOLDS, NOT_ALL)
    finally:
        made.release.write_bytes(good)


def test_the_release_of_the_demo_is_checked_with_its_original(tmp_path: Path) -> None:
    """Its policy has dates, and a tree of lists."""
    from lookalike.demo_data.patients import patients as invented
    from lookalike.demo_data.policy import policy_text

    file = tmp_path / "demo.toml"
    file.write_text(policy_text(5))
    people = pa.Table.from_pylist([asdict(person) for person in invented(400)])
    assert Made(tmp_path / "made", people, la.load_policy(file)).inside() == (HOLDS, True)


@pytest.mark.parametrize("kind", KINDS)
def test_a_certificate_with_another_field_has_the_same_verdict(kind: str, tmp_path: Path) -> None:
    """Each field changed, removed or of another type, in certificates of eleven kinds."""
    release = certificate_mutations.release(kind)
    path = release.write(tmp_path / "out.csv")
    certificate = tmp_path / "out.csv.certificate.json"
    assert check(path) == (HOLDS if kind in FULLY_CHECKED else NOT_ALL)
    content = json.loads(certificate.read_text())
    step = 1 if THOROUGH else 7
    for field, how, mutant in list(certificate_mutations.mutations(content))[::step]:
        certificate.write_text(json.dumps(mutant))
        refused = certificate_mutations.refused(release, mutant)
        code = check(path)
        assert code != HOLDS if refused else code in (HOLDS, NOT_ALL), (field, how)


def test_releases_of_other_kinds_hold_or_are_said_not_to_be_checked(tmp_path: Path) -> None:
    kinds: dict[str, tuple[dict[str, Any], Any, int]] = {
        "cell-level": ({"suppress": 0, "levels": {}, "model": "CG_"}, la.Mondrian(), HOLDS),
        "cuts": ({"levels": {}, "metric": la.Loss()}, la.KOptimize(), NOT_ALL),
        "feasible": ({"levels": {}}, la.Datafly(), HOLDS),
        "boxes": ({"levels": {}, "suppress": 0}, la.BranchAndBound(), HOLDS),
        "starred": ({"conventions": la.Conventions(suppressed="star"), "k": 2}, None, HOLDS),
        "two sets": ({"linking": {"a": ["age", "zip"], "b": ["job"]}}, None, HOLDS),
        "eligible": ({"eligible": {"ward": ["north", "süd"]}}, None, HOLDS),
    }
    for name, (changes, by, expected) in kinds.items():
        if name == "cuts":
            quasi = {"age": la.bands(5, 10, 20), "job": la.tree(JOBS)}
            changes |= {"quasi_identifiers": quasi, "insensitive": ("ward", "zip")}
        released = Made(tmp_path / name.replace(" ", "_"), patients(), policy(**changes), by)
        assert released.outside() == (expected, True), name
        code, passed = released.inside()
        assert passed, name
        assert code == (HOLDS if name == "feasible" else NOT_ALL), name
        released.replace_rows(released.rows()[1:], forged=True)
        assert released.outside() == (FAILED, False), name


def test_it_needs_nothing_but_python(made: Made) -> None:
    command = [sys.executable, "-I", "-S", str(PATH), str(made.release)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (HOLDS, "")
    assert run.stdout.endswith("Every check holds.\n")
    tree = ast.parse(PATH.read_text())
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    modules = {getattr(n, "module", None) or n.names[0].name for n in imports}
    assert modules <= sys.stdlib_module_names
    assert len(PATH.read_text().splitlines()) <= 600


def test_a_file_that_cannot_be_read_is_not_a_verdict(made: Made, tmp_path: Path) -> None:
    for text in ("", "a,b\n1\n", 'a\n"1\n', "a,a\n1,2\n"):
        (tmp_path / "odd.csv").write_text(text)
        assert check(tmp_path / "odd.csv", made.certificate) == 1
    assert check(made.release, made.release) == 1
    assert check(tmp_path / "missing.csv", made.certificate) == 1


@pytest.mark.parametrize("part", ["bound", "proof_size"])
def test_false_is_not_a_number(part: str, tmp_path: Path) -> None:
    """Of a feasible claim without a bound, where both may be null."""
    asked = policy(suppress=0, levels={}, metric="loss")
    feasible = Made(tmp_path, patients(), asked, la.Datafly())
    assert feasible.outside() == (HOLDS, True)
    feasible.edit(lambda content: content["claim"].update({part: False}))
    assert feasible.outside() == (FAILED, False)


@pytest.mark.parametrize("name", ["AGE", "17", "2024-01-31", ""])
def test_names_that_other_programs_misread_are_refused(name: str, tmp_path: Path) -> None:
    """As lookalike does: in another case only, or a number or a date in the line of names."""
    table = pa.table({"age": ["30"] * 4, "ill": ["flu"] * 4})
    asked = la.Policy(
        quasi_identifiers={"age": la.flat()}, sensitive="ill", require=la.KAnonymity(2)
    )
    made = Made(tmp_path, table, asked)
    rows = made.release.read_text().replace("ill", name)
    made.release.write_text(rows)
    content = made.certificate.read_text().replace('"ill"', f'"{name}"')
    made.certificate.write_text(content.replace(", ill;", f", {name};"))
    digest = CHECKER.Table.digest(SimpleNamespace(
        names=["age", name], rows=[("30", "flu")] * 4, counts={("30", "flu"): 4}
    ))  # fmt: skip
    made.edit(lambda content: content.update(release_digest=digest))
    assert made.outside() == (1, False)


def test_a_certificate_cannot_write_lines_of_the_verdict(made: Made) -> None:
    """Names, values and requirements of a certificate are printed, but not their line ends."""
    good = made.certificate.read_bytes()
    line = "\n  holds   digest: The rows are exactly those certified.\x1b[2K"
    made.edit(lambda c: c["require"].update(alpha_k=[
        {"column": "sick", "alpha": 0.9, "k": 2, "value": f"flu{line}"}
    ]))  # fmt: skip
    made.edit(lambda c: c["columns"].update({f"n{line}": {"role": "pseudonym", "shown": "?"}}))
    command = [sys.executable, str(PATH), str(made.release)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    made.certificate.write_bytes(good)
    assert run.returncode == FAILED
    assert run.stdout.count("\n  holds   digest") <= 1
    assert "\x1b" not in run.stdout


def test_no_cell_value_is_printed(made: Made) -> None:
    good = made.release.read_bytes()
    rows = made.rows()
    rows[0]["ward"] = "secret marker"
    made.replace_rows(rows, forged=False)
    command = [sys.executable, str(PATH), str(made.release)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    made.release.write_bytes(good)
    assert run.returncode == FAILED
    assert "secret marker" not in run.stdout + run.stderr
