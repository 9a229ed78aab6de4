"""A server for each file of tests, and pages of a browser that may ask nobody else."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
from web_parts import CHROMIUM, Server, serving


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("studio")) as running:
        yield running


@pytest.fixture
def client(server) -> Iterator[httpx.Client]:
    with server.client() as found:
        yield found


@pytest.fixture(scope="module")
def chromium():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking",
                  "--disable-component-update", "--disable-sync", "--no-first-run"],
        )  # fmt: skip
        yield browser
        browser.close()


@pytest.fixture
def page(chromium, server):
    """A page of somebody who was let in; whatever is asked of another place, or goes wrong in the
    browser, fails the test.
    """
    context = chromium.new_context(viewport={"width": 1200, "height": 900})
    page = context.new_page()
    page.set_default_timeout(300_000)
    elsewhere: list[str] = []
    wrong: list[str] = []
    context.on("request", lambda one: elsewhere.append(one.url))
    context.on("response", lambda one: wrong.append(one.url) if one.status > 400 else None)
    page.on("console", lambda one: wrong.append(one.text) if one.type == "error" else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(server.link)
    page.wait_for_selector("h1")
    yield page
    context.close()
    assert [url for url in elsewhere if not url.startswith((server.address, "data:"))] == []
    # the faults of a form are an answer, and a part may be polled while the page is left
    fine = ("Failed to load resource: the server responded with a status of 400", "htmx:")
    assert [one for one in wrong if not one.startswith(fine)] == []
