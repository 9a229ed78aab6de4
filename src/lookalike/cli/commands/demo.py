"""``lookalike demo``: risk, search, release and proof on an invented hospital."""

from __future__ import annotations

import shlex
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import lookalike as la
from lookalike import api
from lookalike.cli import options
from lookalike.cli.input.output_files import check_paths, display_name, sidecar_path, write_private
from lookalike.cli.options import option
from lookalike.cli.terminal.terminal import Terminal
from lookalike.errors import Fault, FileError

if TYPE_CHECKING:
    from lookalike.cli.output.demo import Person
    from lookalike.demo_data.patients import Patient

FOLLOWED = ("HIV", "depression", "breast cancer")  # one patient of each is followed

Rows = Annotated[int, option("--rows N", "The number of patients.", min=100, max=2_000_000)]
Seed = Annotated[int, option("--seed N", "The same seed gives the same patients.", min=0)]
K = Annotated[int, option("--k K", "The smallest number of rows that must look alike.", min=2)]
Folder = Annotated[
    Path | None, option("--output -o DIR", "Where to write the files. Default: a new folder.")
]


@dataclass(frozen=True, slots=True)
class Files:
    """The files that the demo writes."""

    table: Path
    policy: Path
    release: Path
    solution: Path


def demo(
    terminal: Terminal,
    rows: Rows = 10_000,
    seed: Seed = 0,
    k: K = 5,
    output: Folder = None,
    force: options.Force = False,
) -> None:
    """See everything on an invented hospital. Takes a few seconds, needs no input."""
    from lookalike.cli.input.locations import Locations
    from lookalike.cli.input.request import request_from_file
    from lookalike.cli.output import demo as show_demo
    from lookalike.cli.terminal.pipeline_session import make_release
    from lookalike.demo_data.patients import patients, write_csv
    from lookalike.demo_data.policy import policy_text

    files = _files(output, k, force=force)
    people = patients(rows, seed)
    with api.atomic_write(files.table, force) as temporary:
        write_csv(temporary, people)
    write_private(files.policy, policy_text(k), force=force)
    request = request_from_file(files.policy)

    with terminal.step("Measuring the risk"):
        before = api.risk(files.table, show_demo.SEEN)
    terminal.answer(*show_demo.opening(before))

    locations = Locations(files.table, files.policy, files.release, files.solution, force=force)
    run = make_release(terminal, locations, request, api.open_table(files.table))
    after = api.risk(files.release, show_demo.SEEN)
    followed = _followed(people, run.problem, run.release.solution, k)
    terminal.answer(
        *show_demo.recoding(followed, run.release),
        *show_demo.comparing(before, after, k, terminal.out.width),
        *show_demo.proving(run.release),
        *show_demo.next_steps(_commands(files)),
    )
    terminal.document |= {
        "files": asdict(files), "before": asdict(before), "after": asdict(after),
    }  # fmt: skip


def _files(output: Path | None, k: int, *, force: bool) -> Files:
    if output is None:
        folder = Path(tempfile.mkdtemp(prefix="lookalike-demo-"))
    else:
        folder = output
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            problem = f"the folder cannot be created ({error.strerror})"
            raise FileError(Fault(display_name(folder), problem, "choose another")) from None
    files = Files(
        folder / "patients.csv",
        folder / "policy.toml",
        folder / f"patients_k{k}.csv",
        folder / "solution.json",
    )
    certificate = sidecar_path(files.release, ".certificate.json")
    outputs = (files.table, files.policy, files.release, certificate, files.solution)
    check_paths(outputs, (), force=force)
    return files


def _followed(
    people: Sequence[Patient], problem: api.Problem, solution: la.Solution, k: int
) -> list[Person]:
    """A few people of the table, and one whose row was suppressed, before and after."""
    from lookalike.cli.output.demo import SEEN, Person

    assert solution.recoding is not None
    recoded = problem.apply(solution.recoding).columns
    label = {
        name: {
            str(value): str(column.labels[code] if column.labels else value)
            for value, code in zip(values, column.codes.tolist(), strict=True)
        }
        for name, values, column in zip(problem.names, problem.counts.values, recoded, strict=True)
    }
    old = [tuple(getattr(person, name) for name in SEEN) for person in people]
    new = [tuple(label[name][cell] for name, cell in zip(SEEN, row, strict=True)) for row in old]
    alike_before, alike_after = Counter(old), Counter(new)

    def follow(at: int) -> Person:
        size = alike_after[new[at]]
        person = people[at]
        after = (new[at], size) if size >= k else (None, 0)
        return Person(person.name, person.diagnosis, old[at], alike_before[old[at]], *after)

    kept = [at for at in range(len(people)) if alike_after[new[at]] >= k]
    gone = [at for at in range(len(people)) if alike_after[new[at]] < k]
    chosen = [next((at for at in kept if people[at].diagnosis == one), None) for one in FOLLOWED]
    return [follow(at) for at in [*(at for at in chosen if at is not None), *gone[:1]]]


def _commands(files: Files) -> list[tuple[str, str]]:
    table, policy, release = files.table.name, files.policy.name, files.release.name
    return [
        (f"cd {shlex.quote(str(files.table.parent))}", "all files are here"),
        (f"lookalike risk {table} --by birth_date,zip,sex", "who stands out"),
        (f"lookalike explain {table} {policy}", "what the policy requires"),
        (f"lookalike run {table} {policy} --k 10 -o more.csv", "require a larger k"),
        (f"lookalike verify {release}", "verify the release"),
        ("lookalike init YOUR_TABLE.csv > policy.toml", "your own table"),
    ]
