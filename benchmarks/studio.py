"""The studio with a table of a million rows: does every page answer while a search is going?

    uv run python benchmarks/studio.py [--rows 1000000] [--parquet] [--by cell-optimal]
        [--folder DIR] [--times 5]

Makes a table of invented patients (as those of the hospital, but drawn by numpy), puts it into a
folder given with ``--data``, opens it, lets one search end, starts one that takes long and queues
another; and meanwhile asks for every page several times, alone and three at the same time. The bar:
each answer within two seconds, to the last byte of a page, to the first of what is downloaded.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from lookalike.demo_data.patients import (
    AGES,
    DIAGNOSES,
    ETHNICITIES,
    FAMILIES,
    INITIALS,
    NAMES_OF_MEN,
    NAMES_OF_WOMEN,
    TODAY,
    TOWNS,
)
from studio_server import Server, begin, decide, looked, serving, until

BAR = 2.0  # seconds
AT_ONCE = 3
ROLES = ["identifiers"] * 2 + ["quasi_identifiers"] * 4 + ["insensitive", "sensitive"]
ASKED = {"k": "5", "suppress": "2%", "metric": "loss", "seed": "0"}
DOWNLOADS = ("release", "spreadsheet", "certificate", "report", "public-report", "policy",
             "solution")  # fmt: skip
DATES = {"kind": "dates", "quarters": "yes", "finest": "0", "coarsest": "", "weight": "1"}


def shares(given: Sequence[float]) -> Any:
    weights = np.asarray(given, dtype=float)
    return weights / weights.sum()


def patients(rows: int, seed: int = 0) -> pa.Table:
    """Columns and skew of the hospital's, all rows of a column at one time."""
    lot = np.random.default_rng(seed)
    low, high, share = (np.asarray(one, dtype=float) for one in zip(*AGES, strict=True))
    span = lot.choice(len(AGES), rows, p=shares(share.tolist()))
    age = low[span] + (high - low)[span] * lot.random(rows)
    born = np.datetime64(TODAY) - (1 + (age * 365.25)).astype(int).astype("timedelta64[D]")
    female = lot.random(rows) < np.where(age < 65, 0.5, 0.5 + (age - 65) / 130)
    towns, sizes = zip(*TOWNS, strict=True)
    centre = np.minimum(9, lot.exponential(1 / 0.7, rows).astype(int)).astype(str)
    ethnic = {name: one for group in ETHNICITIES.values() for name, one in group.items()}
    ill = np.zeros(rows, dtype=int)
    of_age = np.where(age < 18, 0, np.where(age < 65, 1, 2))
    for at in range(3):
        for sex in "FM":
            here = (of_age == at) & (female == (sex == "F"))
            weights = [one[3][at] if sex in one[2] else 0 for one in DIAGNOSES]
            ill[here] = lot.choice(len(DIAGNOSES), int(here.sum()), p=shares(weights))
    given = np.where(female, any_of(lot, NAMES_OF_WOMEN, rows), any_of(lot, NAMES_OF_MEN, rows))
    middle = lot.choice(list(INITIALS), rows)
    families = any_of(lot, FAMILIES, rows)
    numbers = (100_000 + lot.permutation(rows)).astype(str)
    columns = {
        "patient_id": np.char.add("P", numbers),
        "name": np.char.add(np.char.add(np.char.add(given, " "), middle),
                            np.char.add(". ", families)),
        "birth_date": born.astype(str),
        "sex": np.where(female, "F", "M"),
        "zip": np.char.add(lot.choice(towns, rows, p=shares(sizes)), centre),
        "ethnicity": lot.choice(list(ethnic), rows, p=shares(list(ethnic.values()))),
        "ward": np.asarray([one[1] for one in DIAGNOSES])[ill],
        "diagnosis": np.asarray([one[0] for one in DIAGNOSES])[ill],
    }  # fmt: skip
    return pa.table({name: pa.array(cells.tolist()) for name, cells in columns.items()})


def any_of(lot: np.random.Generator, words: str, rows: int) -> Any:
    return lot.choice(words.split(), rows)


@dataclass(frozen=True, slots=True)
class Asking:
    """One request: a page to its last byte, or a download to its first."""

    what: str
    path: str
    form: dict[str, str] | None = None
    first: bool = False

    def seconds(self, client: httpx.Client) -> float:
        began = time.perf_counter()
        if self.first:
            with client.stream("GET", self.path) as answer:
                next(answer.iter_raw(1), b"")
                took = time.perf_counter() - began
        else:
            answer = client.post(self.path, data=self.form) if self.form else client.get(self.path)
            took = time.perf_counter() - began
        if answer.status_code not in (200, 303):
            raise RuntimeError(f"{self.what}: {answer.status_code}")
        return took


@dataclass(slots=True)
class Times:
    """What each took, alone and beside others."""

    alone: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    beside: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def print(self) -> bool:
        print(f"\n{'':38}{'alone':>15}{f'{AT_ONCE} at a time':>22}")
        print(f"{'page':38}" + f"{'median':>10}{'slowest':>10}" * 2)
        for what, alone in self.alone.items():
            beside = self.beside[what]
            figures = (statistics.median(alone), max(alone), statistics.median(beside), max(beside))
            slow = "  SLOW" if max(figures) > BAR else ""
            print(f"{what:38}{''.join(f'{one:8.3f} s' for one in figures)}{slow}")
        slowest = max(max(one) for kind in (self.alone, self.beside) for one in kind.values())
        print(f"\nslowest answer {slowest:.2f} s; bar {BAR:g} s: "
              f"{'met' if slowest <= BAR else 'MISSED'}", flush=True)  # fmt: skip
        return slowest <= BAR


def every_page(project: str, rows: int, tuples: int, *, spreadsheet: bool) -> list[Asking]:
    """``run-1`` is done, ``run-2`` is going, ``run-3`` waits."""
    at = f"/projects/{project}"
    last, pages = -(-rows // 50), max(1, -(-tuples // 40))
    found = [
        Asking("home", "/"),
        *(Asking(f"table, page {n:,}", f"{at}/table?at={n}") for n in (1, last // 2, last)),
        Asking("columns", f"{at}/columns"),
        Asking("hierarchies", f"{at}/hierarchies"),
        Asking("hierarchy of birth_date", f"{at}/columns/2"),
        Asking("hierarchy of zip", f"{at}/columns/4"),
        Asking("preview of birth_date (form)", f"{at}/columns/2/preview", DATES),
        Asking("requirements", f"{at}/requirements"),
        Asking("candidates", f"{at}/runs"),
        Asking("candidates, polled", f"{at}/runs-list?over=1"),
        Asking("running candidate", f"{at}/runs/run-2"),
        Asking("running candidate, polled", f"{at}/runs/run-2/progress"),
        Asking("queued candidate", f"{at}/runs/run-3"),
        Asking("queued candidate, polled", f"{at}/runs/run-3/progress"),
    ]
    for n in dict.fromkeys((1, max(1, pages // 2), pages)):
        found.append(Asking(f"candidate, page {n:,}", f"{at}/runs/run-1?at={n}"))
    for what in DOWNLOADS:
        if spreadsheet or what != "spreadsheet":
            found.append(Asking(f"download {what}", f"{at}/runs/run-1/{what}", first=True))
    return found


def measure(server: Server, pages: list[Asking], times: int) -> Times:
    found = Times()
    with server.client() as client:
        for one in pages * times:
            found.alone[one.what].append(one.seconds(client))

    def visitor(seed: int) -> None:
        with server.client() as client:
            for _ in range(times):
                for one in random.Random(seed).sample(pages, len(pages)):
                    found.beside[one.what].append(one.seconds(client))

    with ThreadPoolExecutor(AT_ONCE) as pool:
        for done in [pool.submit(visitor, seed) for seed in range(AT_ONCE)]:
            done.result()
    return found


def ask(client: httpx.Client, project: str, by: str, then: str = "run") -> None:
    form = ASKED | {"by": by, "then": then}
    answer = client.post(f"/projects/{project}/requirements", data=form)
    if answer.status_code != 303:
        raise RuntimeError(f"the search was not taken ({answer.status_code})")


def told(label: str, work: Callable[[], Any]) -> Any:
    began = time.perf_counter()
    found = work()
    print(f"{label:38}{time.perf_counter() - began:8.1f} s", flush=True)
    return found


def studied(server: Server, folder: Path, table: str, rows: int, by: str, times: int) -> bool:
    with server.client() as client:
        project = told("the form that opens the table", lambda: begin(client, table=table))
        told("until its columns were looked at", lambda: until(lambda: looked(client, project)))
        decide(client, project, ROLES)
        at, job = f"/projects/{project}", folder / "projects" / "me" / project / "jobs"
        ask(client, project, "auto", "explain")
        told("how large is it", lambda: until((job / "explain-1" / "result.json").exists))
        ask(client, project, "auto")
        told("a search by auto, with its release", lambda: until(
            lambda: 'id="download"' in client.get(f"{at}/runs/run-1").text, 1800, 1))  # fmt: skip
        for _ in range(2):
            ask(client, project, by)
        events = job / "run-2" / "events.jsonl"
        told(f"until {by} said something", lambda: until(
            lambda: events.exists() and events.stat().st_size > 0, 900))  # fmt: skip
        beside = job / "run-1" / "before_after.parquet"
        tuples = pq.read_metadata(beside).num_rows if beside.exists() else 1
        spreadsheet = table.endswith(".csv")
        pages = every_page(project, rows, tuples, spreadsheet=spreadsheet)
        print(f"{tuples:,} different tuples are listed before and after")
        found = measure(server, pages, times)
        going = "hx-trigger" in client.get(f"{at}/runs/run-2/progress").text
        met = found.print()
        print(f"{by} is {'still going' if going else 'OVER: choose one that takes longer'}; "
              f"it said {events.stat().st_size:,} bytes; "
              f"the server held {held(server.process):.2f} GB at the most")  # fmt: skip
        client.post(f"{at}/remove")
    return met and going


def held(process: int) -> float:
    """Gigabytes, at the most so far."""
    lines = Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines()
    [line] = [one for one in lines if one.startswith("VmHWM")]
    return int(line.split()[1]) / 1e6


def machine() -> str:
    names = [one.partition(":")[2].strip()
             for one in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
             if one.startswith("model name")]  # fmt: skip
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    kind = names[0] if names else platform.machine()
    return (
        f"{os.cpu_count()} cores ({kind}), {memory:.0f} GB, Python {platform.python_version()}, "
        f"load {os.getloadavg()[0]:.1f} before"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--parquet", action="store_true", help="Parquet and not CSV")
    parser.add_argument("--by", default="cell-optimal", help="the search that takes long")
    parser.add_argument("--times", type=int, default=5, help="how often each page is asked for")
    parser.add_argument("--folder", type=Path, help="for the table, which is kept there")
    asked = parser.parse_args()
    print(machine())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data = asked.folder or folder / "data"
        data.mkdir(exist_ok=True)
        table = f"patients-{asked.rows}.{'parquet' if asked.parquet else 'csv'}"
        if not (data / table).exists():
            made = patients(asked.rows)
            (pq.write_table if asked.parquet else pa_csv.write_csv)(made, data / table)
        print(f"{table}: {asked.rows:,} rows, {(data / table).stat().st_size / 1e6:.0f} MB")
        with serving(folder, "--data", str(data)) as server:
            met = studied(server, folder, table, asked.rows, asked.by, asked.times)
    raise SystemExit(0 if met else 1)


if __name__ == "__main__":
    main()
