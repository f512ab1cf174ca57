# comanda.py {{version}}: {{docs.title}}
# SPDX-License-Identifier: {{license}}. Needs Python 3.9 or newer, {{docs.nothingElse}}
"""Orders, catalog, stock and events of a Comanda, and the verification of its webhooks.

    import os
    from comanda import Comanda

    comanda = Comanda("{{exampleUrl}}", key=os.environ["COMANDA_KEY"])
    order = comanda.get("/v2/orders/{id}", id=order_id)
    for product in comanda.each("/v2/products", visible=True):
        print(product["name"], product["price"])

{{docs.paths}}, as they stand there. A parameter whose name Python keeps for itself takes an underscore: `from_`.
Numbers with a decimal point come as `decimal.Decimal`, and may go out as one.
"""

from __future__ import annotations

import base64
import binascii
import datetime
import email.utils
import hashlib
import hmac
import http.client
import json
import random
import re
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from decimal import Decimal
from email.message import Message
from typing import Any, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

__version__ = "{{version}}"
__all__ = ["Answer", "Comanda", "ComandaError", "FieldFault", "NoAnswer", "Reading", "WebhookError", "verify_webhook"]

#: ISO 8601 with an offset, or a datetime that knows its zone.
Moment = Union[str, datetime.datetime]
Entry = Dict[str, Any]


class FieldFault(NamedTuple):
    """{{docs.fieldFault}}."""

    #: As in `items[0].quantity`; {{docs.whole}}.
    path: str
    #: For a person.
    message: str


class ComandaError(Exception):
    """The API refused. Decide by `status`, then `code`, then `reason`; `/docs/errors` of the service explains each."""

    def __init__(self, status: int, headers: Message, body: bytes) -> None:
        error = _error_in(body)
        self.status = status
        self.code: str = error.get("code", "")
        #: {{docs.reason}}
        self.reason: str = headers.get("{{headers.errorReason}}", "")
        #: {{docs.detail}} `str(error)` is fit for a terminal.
        self.message: str = error.get("message", f"{{messages.answerWas}} {status}")
        #: {{docs.fields}}
        self.fields: List[FieldFault] = _fields_in(self.message) if self.code == "{{reasons.validationError}}" else []
        #: {{docs.requestId}}
        self.request_id: str = error.get("request_id", headers.get("{{headers.requestId}}", ""))
        #: {{docs.retryAfter}}.
        self.retry_after: Optional[float] = _retry_after(headers)
        #: {{docs.since}}.
        self.since: Optional[str] = headers.get("{{headers.errorSince}}")
        #: {{docs.location}}.
        self.location: Optional[str] = headers.get("Location")
        super().__init__(_printable(f"{status} {self.reason or self.code}: {self.message} (request {self.request_id})"))


class NoAnswer(Exception):
    """{{docs.noAnswer}} `idempotency_key`."""

    def __init__(self, message: str, idempotency_key: Optional[str]) -> None:
        super().__init__(_printable(message))
        self.idempotency_key = idempotency_key


class Answer(NamedTuple):
    """{{docs.answer}}"""

    status: int
    headers: Message
    #: All of it, parsed: `{"data": …}`, with `pagination` for a list. None for a 304.
    body: Any

    @property
    def data(self) -> Any:
        """{{docs.data}}"""
        return None if self.body is None else self.body["data"]

    @property
    def is_replay(self) -> bool:
        """{{docs.isReplay}}"""
        return bool(self.headers.get("{{headers.idempotencyReplayed}}") == "true")


class Reading(Iterator[Entry]):
    """Entries one after the other, and where it stands."""

    def __init__(self, steps: Iterator[Tuple[Optional[str], Optional[Entry]]], cursor: Optional[str]) -> None:
        self._steps = steps
        #: {{docs.cursor}}
        self.cursor = cursor

    def __next__(self) -> Entry:
        for self.cursor, entry in self._steps:
            if entry is not None:
                return entry
        raise StopIteration


class Comanda:
    """{{docs.theApi}}. Threads may share it.

    {{docs.repeats}}
    {{docs.delays}}
    A `{{headers.retryAfter}}` beyond `longest_wait` seconds is not waited for: the call raises its `ComandaError`.
    {{docs.writes}}
    """

    def __init__(
        self, url: str, key: str, *, timeout: float = {{calls.timeoutSeconds}}.0, tries: int = {{calls.tries}}, longest_wait: float = {{calls.longestWaitSeconds}}.0
    ) -> None:
        if not re.match(r"https?://[^/]", url):
            raise ValueError("{{messages.badUrl}}")
        if not re.fullmatch(r"[\x21-\x7e]+", key):
            raise ValueError("{{messages.badKey}}")
        self.url = url.rstrip("/")
        self._key = key
        self._timeout = timeout
        self._tries = tries
        self._longest_wait = longest_wait
        self._opener = urllib.request.build_opener(_NoRedirect)

    def __repr__(self) -> str:
        return f"Comanda({self.url!r})"

    def get(self, path: str, /, **parameters: Any) -> Any:
        """{{docs.gets}} Parameters fill what stands in braces in the path; the others become the query."""
        return self.request("GET", path, **parameters).data

    def post(self, path: str, body: Any = None, /, *, idempotency_key: Optional[str] = None, **parameters: Any) -> Any:
        """{{docs.posts}} {{docs.ownKey}}"""
        return self.request("POST", path, body, idempotency_key=idempotency_key, **parameters).data

    def patch(self, path: str, body: Any, /, *, idempotency_key: Optional[str] = None, **parameters: Any) -> Any:
        """{{docs.patches}}"""
        return self.request("PATCH", path, body, idempotency_key=idempotency_key, **parameters).data

    def delete(self, path: str, /, *, idempotency_key: Optional[str] = None, **parameters: Any) -> Any:
        """{{docs.deletes}}"""
        return self.request("DELETE", path, idempotency_key=idempotency_key, **parameters).data

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        /,
        *,
        idempotency_key: Optional[str] = None,
        headers: Optional[Mapping[str, str]] = None,
        **parameters: Any,
    ) -> Answer:
        """{{docs.anyCall}} Raises `ComandaError` or `NoAnswer`."""
        sent = {
            "Authorization": f"Bearer {self._key}",
            "Accept": "application/json",
            "User-Agent": f"comanda.py/{__version__}",
            **(headers or {}),
        }
        if method not in ("GET", "HEAD"):
            idempotency_key = idempotency_key or str(uuid.uuid4())
            sent["{{headers.idempotencyKey}}"] = idempotency_key
        content = None
        if body is not None:
            sent["Content-Type"] = "application/json"
            content = json.dumps(body, default=_plain, allow_nan=False).encode()
        request = urllib.request.Request(self._address(path, parameters), content, sent, method=method)
        return self._send(request, idempotency_key)

    def each(self, path: str, /, **parameters: Any) -> Iterator[Entry]:
        """{{docs.each}} `order="asc"`: {{docs.elseTwice}}"""
        limit = int(parameters.pop("limit", {{lists.pageLimit}}))
        offset = int(parameters.pop("offset", 0))
        while True:
            page = self.request("GET", path, limit=limit, offset=offset, **parameters).body
            yield from page["data"]
            # Large entries make a page shorter than was asked for: it says so in its limit.
            offset += page["pagination"]["limit"]
            if offset >= page["pagination"]["total"]:
                return

    def changes(
        self,
        path: str,
        /,
        *,
        cursor: Optional[str] = None,
        updated_since: Optional[Moment] = None,
        limit: int = {{lists.pageLimit}},
        **parameters: Any,
    ) -> Reading:
        """What changed of `/v2/orders`, `/v2/products` or `/v2/stock`: the first time `updated_since` a moment, then from the cursor."""
        if (cursor is None) == (updated_since is None):
            raise ValueError("{{messages.badPlace}}")

        def steps(cursor: Optional[str]) -> Iterator[Tuple[Optional[str], Optional[Entry]]]:
            while True:
                place = {"updated_since": updated_since} if cursor is None else {"cursor": cursor}
                page = self.request("GET", path, limit=limit, **place, **parameters).body
                for entry in page["data"][:-1]:
                    yield cursor, entry
                # The cursor of a page counts when all of it is done.
                cursor = page["pagination"]["next"]
                yield cursor, page["data"][-1] if page["data"] else None
                if len(page["data"]) < page["pagination"]["limit"]:
                    return

        return Reading(steps(cursor), cursor)

    def events(
        self,
        *,
        after: Optional[str] = None,
        since: Optional[Moment] = None,
        types: Optional[Iterable[str]] = None,
        follow: bool = False,
        every: float = {{lists.followSeconds}}.0,
    ) -> Reading:
        """The feed of events in its order: after an event, or since a moment, or all of {{lists.feedDays}} days. `after="latest"` is now.

        It ends where the feed ends; with `follow` it never ends, and asks again `every` so many seconds. Keep the cursor of
        the reading, and give it as `after` the next time. One that is not known any more is a `ComandaError` with the
        reason `{{reasons.unknownCursor}}`: then begin with `since`. One that went when the service was restored from a backup has the
        reason `{{reasons.cursorNotRestored}}`: begin with `since=error.since`.
        """

        def steps(after: Optional[str]) -> Iterator[Tuple[Optional[str], Optional[Entry]]]:
            while True:
                place = {"since": since} if after is None else {"after": after}
                page = self.request("GET", "{{lists.eventsPath}}", types=types, limit={{lists.pageLimit}}, **place).body
                for event in page["data"]:
                    after = event["id"]
                    yield after, event
                after = page["pagination"].get("next", after)
                yield after, None
                if len(page["data"]) < page["pagination"]["limit"]:
                    if not follow:
                        return
                    time.sleep(every)

        return Reading(steps(after), after)

    def _address(self, path: str, parameters: Mapping[str, Any]) -> str:
        left = {name.rstrip("_"): value for name, value in parameters.items()}

        def fill(match: re.Match[str]) -> str:
            if match[1] not in left:
                raise TypeError(f"{path} needs {match[1]}=")
            return urllib.parse.quote(_text(left.pop(match[1])), safe="")

        filled = re.sub(r"\{(\w+)\}", fill, path)
        query = urllib.parse.urlencode({name: _text(value) for name, value in left.items() if value is not None})
        return self.url + filled + (f"?{query}" if query else "")

    def _send(self, request: urllib.request.Request, idempotency_key: Optional[str]) -> Answer:
        tried = 0
        while True:
            tried += 1
            wait = min(2.0 ** (tried - 1), {{calls.longestDelaySeconds}}.0) * random.uniform({{calls.leastDelayFactor}}, {{calls.mostDelayFactor}})
            try:
                status, headers, body = self._exchange(request)
                if status < 300:
                    return Answer(status, headers, _parsed(body))
            except (OSError, http.client.HTTPException) as fault:
                if tried >= self._tries:
                    raise NoAnswer(f"{{messages.noAnswerFrom}} {self.url}: {fault}", idempotency_key) from fault
            else:
                if status == 304:
                    return Answer(status, headers, None)
                error = ComandaError(status, headers, body)
                wait = wait if error.retry_after is None else error.retry_after
                if status not in _MAY_PASS or tried >= self._tries or wait > self._longest_wait:
                    raise error
            time.sleep(wait)

    def _exchange(self, request: urllib.request.Request) -> Tuple[int, Message, bytes]:
        try:
            with self._opener.open(request, timeout=self._timeout) as response:
                return response.status, response.headers, response.read()
        except urllib.error.HTTPError as refusal:
            with refusal:
                return refusal.code, refusal.headers, refusal.read()


class WebhookError(Exception):
    """{{docs.webhookError}}"""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(_printable(message))
        #: `{{reasons.missingHeader}}`, `{{reasons.malformedHeader}}`, `{{reasons.oldTimestamp}}`, `{{reasons.futureTimestamp}}`, `{{reasons.alteredBody}}`, `{{reasons.wrongSecret}}`, `{{reasons.malformedBody}}`.
        self.reason = reason


def verify_webhook(
    secret: Union[str, Sequence[str]],
    headers: Mapping[str, str],
    body: bytes,
    *,
    tolerance: float = {{webhooks.toleranceSeconds}},
    now: Optional[float] = None,
) -> Entry:
    """{{docs.verifies}}. Raises `WebhookError`.

    `secret` is that of the endpoint (`{{webhooks.secretPrefix}}…`), or several around a rotation; `headers` those of the request, in any
    case; `body` the {{docs.received}}. `tolerance` is in seconds, either way.
    """
    if not isinstance(body, (bytes, bytearray, memoryview)):
        raise TypeError("body must be the bytes as received")
    given = {name.lower(): value for name, value in headers.items()}
    for name in ("{{headers.webhookId}}", "{{headers.webhookTimestamp}}", "{{headers.webhookSignature}}"):
        if not given.get(name, "").strip():
            raise WebhookError("{{reasons.missingHeader}}", f"the header {name} {{messages.isMissing}}")
    timestamp = given["{{headers.webhookTimestamp}}"]
    if not re.fullmatch(r"[0-9]{1,{{webhooks.timestampDigits}}}", timestamp):
        raise WebhookError("{{reasons.malformedHeader}}", "{{messages.malformedTimestamp}}")
    age = (time.time() if now is None else now) - int(timestamp)
    if age > tolerance:
        raise WebhookError("{{reasons.oldTimestamp}}", f"{{messages.timestampIs}} {age:.0f} {{messages.secondsOld}}")
    if -age > tolerance:
        raise WebhookError("{{reasons.futureTimestamp}}", f"{{messages.timestampIs}} {-age:.0f} {{messages.secondsAhead}}")
    secrets = [secret] if isinstance(secret, str) else list(secret)
    signed = f"{given['{{headers.webhookId}}']}.{timestamp}.".encode() + bytes(body)
    expected = [b"{{webhooks.signaturePrefix}}" + base64.b64encode(hmac.new(_key_of(each), signed, hashlib.sha256).digest()) for each in secrets]
    signatures = [each.encode() for each in given["{{headers.webhookSignature}}"].split()]
    # Every pair is compared: the time taken tells nothing.
    if not any([hmac.compare_digest(ours, theirs) for ours in expected for theirs in signatures]):
        digest = re.search(r"{{webhooks.digestPattern}}", given.get("{{headers.contentDigest}}", ""))
        if digest and digest[1] != base64.b64encode(hashlib.sha256(body).digest()).decode():
            raise WebhookError("{{reasons.alteredBody}}", "{{messages.alteredBody}}")
        raise WebhookError("{{reasons.wrongSecret}}", "{{messages.wrongSecret}}")
    try:
        event = json.loads(bytes(body).decode(), parse_float=Decimal)
    except (ValueError, RecursionError):
        event = None
    if not isinstance(event, dict):
        raise WebhookError("{{reasons.malformedBody}}", "{{messages.malformedBody}}")
    return event


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """The key goes to the host that it was meant for, and nowhere else."""

    def redirect_request(self, *_: Any) -> None:
        return None


_MAY_PASS = ({{calls.repeatedStatuses}})


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body, parse_float=Decimal)
    except (ValueError, RecursionError) as fault:
        # Something in between wrote it: whether the call was done is not known.
        raise http.client.HTTPException(f"{{messages.answerIsNotJson}}: {fault}") from None


def _plain(value: Any) -> Any:
    """What JSON has no word for. Amounts of at most 15 digits stay exact."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, (datetime.date, uuid.UUID)):
        return _text(value)
    raise TypeError(f"{type(value).__name__} {{messages.cannotBeSent}} as JSON")


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime) and value.tzinfo is None:
        raise ValueError("a datetime must know its zone: datetime.now(timezone.utc)")
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, (list, tuple, set, frozenset)):
        return ",".join(_text(each) for each in value)
    return str(value)


def _error_in(body: bytes) -> Dict[str, str]:
    try:
        error = json.loads(body)["error"]
        return {name: str(value) for name, value in error.items()}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        # It comes from something in between.
        return {}


def _fields_in(message: str) -> List[FieldFault]:
    faults: List[FieldFault] = []
    for part in re.sub(r"; and \d+ more$", "", message).split("; "):
        named = re.match(r"([A-Za-z_][\w.\[\]-]*): (.*)", part, re.DOTALL)
        if named:
            faults.append(FieldFault(named[1], named[2]))
        elif faults:
            # A semicolon of the sentence itself.
            faults[-1] = FieldFault(faults[-1].path, f"{faults[-1].message}; {part}")
        else:
            faults.append(FieldFault("", part))
    return faults


def _retry_after(headers: Message) -> Optional[float]:
    said = headers.get("{{headers.retryAfter}}", "").strip()
    if re.fullmatch(r"[0-9]+", said):
        return float(said)
    moment = email.utils.parsedate_tz(said) if said else None
    return None if moment is None else max(0.0, email.utils.mktime_tz(moment) - time.time())


#: Controls of C0 and C1, DEL, both separators, what turns the direction of writing, halves of surrogate pairs.
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def _printable(text: str) -> str:
    """A text as a part of one line: characters that give a terminal an order or turn the writing are shown as their codes."""
    return _CONTROLS.sub(lambda mark: f"\\u{ord(mark[0]):04x}", text)


def _key_of(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret[len("{{webhooks.secretPrefix}}") :] if secret.startswith("{{webhooks.secretPrefix}}") else "!", validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not key:
        raise WebhookError("{{reasons.wrongSecret}}", "{{messages.badSecret}}")
    return key
