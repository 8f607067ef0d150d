"""What both clients decide alike: when to try again, what a stream says, and when time is over."""

from __future__ import annotations

import json
import random
import re
import time
from email.utils import parsedate_to_datetime
from typing import Any, Callable

FIRST_DELAY_S = 1.0
DELAY_S_MAX = 8.0
RETRY_AFTER_S_MAX = 120.0
RETRY_AFTER_JITTER_S = 0.25


class Patience:
    """The one answer to "try again, and when?". It is new until the service has answered, then connected, and away from
    a failure to the next progress. New ends after ``retries_max`` failures, away when ``retry_for`` seconds have passed
    since the first one."""

    def __init__(
        self, retries_max: int, retry_for: float = 0.0, on_away: Callable[[bool], object] | None = None
    ) -> None:
        self._retries_max = retries_max
        self._retry_for = retry_for
        self._on_away = on_away or (lambda is_away: None)
        self._has_connected = False
        self._is_away = False
        self._failures = 0
        self._failing_since = 0.0

    def connected(self) -> None:
        """The service has answered, which is not yet progress: it may answer and hang up for ever."""
        self._has_connected = True
        self._set_away(False)

    def progressed(self) -> None:
        """What was asked for has come: failures before it count no more."""
        self.connected()
        self._failures = 0

    def failed(self, retry_after: float | None = None) -> float | None:
        """Seconds until the next attempt; ``None``: it is time to give up."""
        if self._failures == 0:
            self._failing_since = time.monotonic()
        attempt = self._failures
        self._failures += 1
        is_persistent = self._has_connected and self._retry_for > 0
        if is_persistent:
            self._set_away(True)
            if time.monotonic() - self._failing_since >= self._retry_for:
                return None
        elif attempt >= self._retries_max:
            return None
        if retry_after is None:
            delay = min(DELAY_S_MAX, FIRST_DELAY_S * 2.0 ** min(attempt, 10))
            return delay * (1 + random.random()) / 2
        return None if retry_after > RETRY_AFTER_S_MAX else retry_after + random.random() * RETRY_AFTER_JITTER_S

    def _set_away(self, is_away: bool) -> None:
        if self._is_away != is_away:
            self._on_away(is_away)
        self._is_away = is_away


def retry_after_of(headers: Any) -> float | None:
    """``Retry-After`` in seconds from now on, which may be seconds or a date; ``None`` without one."""
    value = headers.get("retry-after", "").strip()
    if re.fullmatch(r"[0-9]+", value):
        return float(value)
    at, now = _date_of(value), _date_of(headers.get("date", ""))
    if at is None:
        return None
    # By the clock of the service, where it tells it: this one may be wrong.
    return max(0.0, at - (time.time() if now is None else now))


def _date_of(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp()
    except (TypeError, ValueError, IndexError):
        return None


def is_temporary(status: int, body: object) -> bool:
    """Whether the same request may be answered otherwise in a moment."""
    code = str(body.get("code", "")) if isinstance(body, dict) else ""
    if status in (408, 429):
        return True
    if status == 409:
        return code == "idempotency_in_progress"
    return status >= 500 and not code.endswith("_not_configured")


def warnings_in(headers: Any) -> list[str]:
    """What the service notes about a request that it took: the texts of ``Warning``, which are quoted strings."""
    return re.findall(r'"([^"]*)"', headers.get("warning", ""))


class EventParser:
    """Server-Sent Events out of bytes, however these are cut."""

    def __init__(self) -> None:
        self._rest = b""
        self._id: str | None = None
        self._data: list[str] = []

    def feed(self, chunk: bytes) -> list[tuple[str | None, str]]:
        """The events that are complete by now, each with its id."""
        # A carriage return at the end may be the first half of a line break.
        *lines, self._rest = re.split(rb"\r\n|\n|\r(?!\Z)", self._rest + chunk)
        events: list[tuple[str | None, str]] = []
        for raw in lines:
            line = raw.decode("utf-8", "replace")
            if line == "":
                if self._data:
                    events.append((self._id, "\n".join(self._data)))
                self._data, self._id = [], None
                continue
            field, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if field == "data":
                self._data.append(value)
            elif field == "id":
                self._id = value
        return events


class Log:
    """The events of a log behind a cursor, each once: some proxies repeat what was lost. What has no id is none."""

    def __init__(self, after: int) -> None:
        self.cursor = after

    def take(self, event_id: str | None, data: str) -> dict[str, Any] | None:
        if event_id is None or not event_id.isdecimal() or int(event_id) <= self.cursor:
            return None
        event: dict[str, Any] = {**json.loads(data), "cursor": int(event_id)}
        self.cursor = event["cursor"]
        return event


class Deadline:
    """When a call has to be done; never, without a number of seconds."""

    def __init__(self, seconds: float | None = None) -> None:
        self._at = None if seconds is None else time.monotonic() + seconds

    def left(self, most: float) -> float:
        """Seconds that are left, and no more than that."""
        return most if self._at is None else min(most, self._at - time.monotonic())
