"""Who may come in: every request is looked at before any page is.

It must call the server by its own name (another name is DNS rebinding), carry the token, and, if it
changes anything, come from a page of this very server (anything else is CSRF). It may not be larger
than allowed. What goes out forbids the browser to fetch or run anything that is not of the server.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlencode

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lookalike.web.settings import Settings

SAFE = {"GET", "HEAD"}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"same-origin"),  # "no-referrer" would send Origin: null with our forms
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
)
PRIVATE = (b"cache-control", b"no-store")


class TooLarge(HTTPException):
    """More was sent than is allowed, and had not been announced."""


class Gate:
    """ASGI: lets a request through to ``app`` with ``scope["user"]``, or answers it here."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app, self.settings = app, settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await self.app(scope, receive, send)
        if scope["type"] != "http":
            return None  # no websockets here
        headers: dict[bytes, bytes] = dict(scope["headers"])
        told = self._refused(scope, headers)
        if told is not None:
            return await _answer(send, *told)
        token = _token_in_query(scope)
        if token is not None:
            return await self._enter(scope, send, token)
        user = self._user(headers)
        if user is None:
            how = "Open the link that lookalike serve printed: it lets you in."
            return await _answer(send, 403, f"This page is private. {how}")
        scope["user"] = user
        return await self._through(scope, receive, send)

    def _refused(self, scope: Scope, headers: dict[bytes, bytes]) -> tuple[int, str] | None:
        """Why a request is not even looked at, if so."""
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        if len(hosts) != 1 or hosts[0].decode("latin-1").lower() not in self.settings.hosts:
            return 403, f"This server is called {self.settings.address}, and by no other name."
        origin = headers.get(b"origin", b"").decode("latin-1").lower()
        own = {f"http://{host}" for host in self.settings.hosts}
        if (origin and origin not in own) or (scope["method"] not in SAFE and not origin):
            return 403, "This request does not come from a page of this server."
        if headers.get(b"sec-fetch-site", b"same-origin") not in {b"same-origin", b"none"} and (
            scope["method"] not in SAFE
        ):
            return 403, "This request comes from another site."
        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or int(length) > self.settings.upload:
            return 413, too_large(self.settings)
        return None

    def _user(self, headers: dict[bytes, bytes]) -> str | None:
        try:
            cookies = SimpleCookie(headers.get(b"cookie", b"").decode("latin-1"))
        except CookieError:
            return None
        given = cookies.get(self.settings.cookie)
        return self._holder(given.value) if given is not None else None

    def _holder(self, given: str) -> str | None:
        """Whose token it is; every token is compared, in the same time whatever is given."""
        found = None
        for token, name in self.settings.users.items():
            if hmac.compare_digest(token.encode(), given.encode()):
                found = name
        return found

    async def _enter(self, scope: Scope, send: Send, token: str) -> None:
        """The link with the token: keep it as a cookie, out of sight of history and referrers."""
        if scope["method"] not in SAFE or self._holder(token) is None:
            return await _answer(send, 403, "This link is not, or no longer, a way in.")
        asked = parse_qs(scope["query_string"].decode("latin-1"))
        rest = urlencode([(k, v) for k, vs in asked.items() if k != "token" for v in vs])
        path = "/" + scope["path"].lstrip("/")  # never another host, as //elsewhere would be
        cookie = f"{self.settings.cookie}={token}; HttpOnly; SameSite=Strict; Path=/"
        headers = [(b"set-cookie", cookie.encode())]
        headers.append((b"refresh", f"0; url={path}{f'?{rest}' if rest else ''}".encode()))
        return await _answer(send, 200, "Welcome.", headers)

    async def _through(self, scope: Scope, receive: Receive, send: Send) -> None:
        read = 0

        async def counted() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > self.settings.upload:
                raise TooLarge(413, too_large(self.settings))
            return message

        static = scope["path"].startswith("/static/")

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = {name for name, _ in HEADERS} | ({PRIVATE[0]} if not static else set())
                kept = [one for one in message["headers"] if one[0].lower() not in own]
                more = HEADERS if static else (*HEADERS, PRIVATE)
                message = {**message, "headers": [*kept, *more]}
            await send(message)

        await self.app(scope, counted, guarded)


def too_large(settings: Settings) -> str:
    return (
        f"More was sent than the {settings.upload:,} bytes allowed. Put the table into the folder "
        "given with --data and open it there, or start lookalike serve with a larger --upload."
    )


def _token_in_query(scope: Scope) -> str | None:
    asked = parse_qs(scope["query_string"].decode("latin-1"))
    return asked["token"][0] if "token" in asked else None


async def _answer(
    send: Send, status: int, text: str, headers: Iterable[tuple[bytes, bytes]] = ()
) -> None:
    body = text.encode()
    said = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", b"%d" % len(body))]
    start = {"type": "http.response.start", "status": status}
    await send({**start, "headers": [*said, *HEADERS, PRIVATE, *headers]})
    await send({"type": "http.response.body", "body": body})
