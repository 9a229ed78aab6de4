"""The gate: checks every request before it reaches a page.

A request must address the server by its own name (against DNS rebinding) and carry a token. A
request that changes something must come from a page of this server (against CSRF). Its size is
limited. Response headers forbid the browser to load or run anything from elsewhere.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlencode

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lookalike.web.settings import Settings

SAFE_METHODS = {"GET", "HEAD"}
CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
HEADERS = (
    (b"content-security-policy", CONTENT_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"same-origin"),  # "no-referrer" would send Origin: null with our forms
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
)
NO_STORE = (b"cache-control", b"no-store")


class Gate:
    """ASGI: passes a request on to ``app`` with ``scope["user"]``, or answers it itself."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app, self.settings = app, settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await self.app(scope, receive, send)
        if scope["type"] != "http":
            return None  # there are no websockets
        headers: dict[bytes, bytes] = dict(scope["headers"])
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            return await _answer(send, *refusal)
        query = parse_qs(scope["query_string"].decode("latin-1"))
        if "token" in query:
            return await self._sign_in(scope, send, query)
        user = self._user(headers)
        if user is None:
            how = "To sign in, open the link that lookalike serve printed."
            return await _answer(send, 403, f"This page is private. {how}")
        scope["user"] = user
        return await self._forward(scope, receive, send)

    def _refusal(self, scope: Scope, headers: dict[bytes, bytes]) -> tuple[int, str] | None:
        """Why a request is refused: status and message; None if it is not."""
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        if len(hosts) != 1 or hosts[0].decode("latin-1").lower() not in self.settings.hosts:
            return 403, f"Use the address {self.settings.address} for this server."
        origin = headers.get(b"origin", b"").decode("latin-1").lower()
        own = {f"http://{host}" for host in self.settings.hosts}
        if (origin and origin not in own) or (scope["method"] not in SAFE_METHODS and not origin):
            return 403, "This request does not come from a page of this server."
        if headers.get(b"sec-fetch-site", b"same-origin") not in {b"same-origin", b"none"} and (
            scope["method"] not in SAFE_METHODS
        ):
            return 403, "This request comes from another site."
        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or int(length) > self.settings.upload:
            return 413, _too_large(self.settings)
        return None

    def _user(self, headers: dict[bytes, bytes]) -> str | None:
        try:
            cookies = SimpleCookie(headers.get(b"cookie", b"").decode("latin-1"))
        except CookieError:
            return None
        cookie = cookies.get(self.settings.cookie)
        return self._token_owner(cookie.value) if cookie is not None else None

    def _token_owner(self, candidate: str) -> str | None:
        """Whose token it is. All tokens are compared, so that the time taken reveals nothing."""
        owner = None
        for token, name in self.settings.users.items():
            if hmac.compare_digest(token.encode(), candidate.encode()):
                owner = name
        return owner

    async def _sign_in(self, scope: Scope, send: Send, query: dict[str, list[str]]) -> None:
        """Store the token of a link as a cookie, so that history and referrers do not show it."""
        token = query.pop("token")[0]
        if scope["method"] not in SAFE_METHODS or self._token_owner(token) is None:
            return await _answer(send, 403, "This link is not valid, or not valid any more.")
        rest = urlencode(query, doseq=True)
        path = "/" + scope["path"].lstrip("/")  # //elsewhere would be another host
        cookie = f"{self.settings.cookie}={token}; HttpOnly; SameSite=Strict; Path=/"
        target = f"0; url={path}{f'?{rest}' if rest else ''}"
        headers = ((b"set-cookie", cookie.encode()), (b"refresh", target.encode()))
        return await _answer(send, 200, "Welcome.", headers)

    async def _forward(self, scope: Scope, receive: Receive, send: Send) -> None:
        received = 0

        async def receive_limited() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self.settings.upload:  # the length was not announced
                raise HTTPException(413, _too_large(self.settings))
            return message

        added = HEADERS if scope["path"].startswith("/static/") else (*HEADERS, NO_STORE)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                replaced = {name for name, _ in added}
                kept = [pair for pair in message["headers"] if pair[0].lower() not in replaced]
                message = {**message, "headers": [*kept, *added]}
            await send(message)

        await self.app(scope, receive_limited, send_with_headers)


def _too_large(settings: Settings) -> str:
    return (
        f"An upload may have at most {settings.upload:,} bytes. Put the table into the folder "
        "given with --data and open it there, or start lookalike serve with a larger --upload."
    )


async def _answer(
    send: Send, status: int, text: str, headers: Iterable[tuple[bytes, bytes]] = ()
) -> None:
    body = text.encode()
    own = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", b"%d" % len(body))]
    start = {"type": "http.response.start", "status": status}
    await send({**start, "headers": [*own, *HEADERS, NO_STORE, *headers]})
    await send({"type": "http.response.body", "body": body})
