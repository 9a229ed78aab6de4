"""What tests do at the studio without a browser."""

from __future__ import annotations

import random

import httpx
from waiting import until


def table(rows: int = 400, seed: int = 0) -> bytes:
    """People of an age, a place and a sex, with an illness."""
    lot = random.Random(seed)
    lines = ["name,age,zip,sex,ill"]
    for number in range(rows):
        place = lot.choice(["21401", "21402", "21411", "33051"])
        lines.append(
            f"P{number},{lot.randint(18, 90)},{place},{lot.choice('fm')},"
            f"{lot.choice(['asthma', 'flu', 'ulcer'])}"
        )
    return "\n".join(lines).encode()


TABLE = table()
ROLES = {"role_0": "identifiers", "role_1": "quasi_identifiers", "role_2": "quasi_identifiers",
         "role_3": "quasi_identifiers", "role_4": "sensitive"}  # fmt: skip
FORM = {"k": "3", "suppress": "5%", "metric": "loss", "by": "auto", "seconds": "60", "then": "run"}


def upload(client: httpx.Client, content: bytes, name: str = "people.csv") -> str:
    """The project's id, once its columns have been looked at."""
    return _looked(client, client.post("/projects", files={"file": (name, content)}))


def hospital(client: httpx.Client) -> str:
    return _looked(client, client.post("/projects", data={"from": "hospital"}))


def _looked(client: httpx.Client, answer: httpx.Response) -> str:
    assert answer.status_code == 303, answer.text
    path = answer.headers["location"]
    until(lambda: "Reading the table" not in client.get(path).text)
    return path.split("/")[2]


def decided(client: httpx.Client, content: bytes = TABLE) -> str:
    """A project whose columns have their roles."""
    project = upload(client, content)
    answer = client.post(f"/projects/{project}/columns", data=ROLES)
    assert answer.status_code == 303, answer.text
    return project


def ask(client: httpx.Client, project: str, **fields: object) -> httpx.Response:
    """Send the form of the requirements, with these fields changed."""
    return client.post(f"/projects/{project}/requirements", data=FORM | fields)


def searched(client: httpx.Client, project: str, **fields: str) -> list[str]:
    """Paths of the candidates that were asked for, all done."""
    answer = ask(client, project, **fields)
    assert answer.status_code == 303, answer.text
    until(lambda: 'hx-trigger="every' not in client.get(f"/projects/{project}/runs").text)
    text = client.get(f"/projects/{project}/runs").text
    found = [part.partition('"')[0] for part in text.split(f'href="/projects/{project}/runs/')[1:]]
    return [f"/projects/{project}/runs/{name}" for name in dict.fromkeys(found)]
