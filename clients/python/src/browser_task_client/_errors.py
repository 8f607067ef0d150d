from __future__ import annotations

from typing import Any


class BrowserTaskError(Exception):
    """What went wrong with a request. ``code`` is the stable name that the API gives it, or ``connection_failed`` when
    no answer came; ``status`` is then 0."""

    def __init__(self, message: str, *, code: str, status: int = 0, request_id: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.request_id = request_id
        self.task_id: str | None = None
        """The task that was followed when it went wrong: it may go on."""


class EventsExpired(BrowserTaskError):
    """Events behind the cursor are not kept any more. Reading can go on with ``after=error.oldest - 1``."""

    def __init__(self, message: str, request_id: str | None, oldest: int) -> None:
        super().__init__(message, code="events_expired", status=410, request_id=request_id)
        self.oldest = oldest


class OutputMismatch(BrowserTaskError):
    """A task has ended with an output that the given model does not accept."""

    def __init__(self, error: ValueError, task: Any) -> None:
        super().__init__(f"The output does not fit its model: {error}", code="output_mismatch")
        self.task = task


def error_of(status: int, headers: Any, body: object) -> BrowserTaskError:
    """The error for a failed response."""
    fields: dict[str, Any] = body if isinstance(body, dict) else {}
    error, code, oldest = fields.get("error"), fields.get("code"), fields.get("oldest")
    message = error if isinstance(error, str) else f"The service answered {status}."
    request_id = headers.get("x-request-id")
    if code == "events_expired" and isinstance(oldest, int):
        return EventsExpired(message, request_id, oldest)
    name = code if isinstance(code, str) else f"http_{status}"
    return BrowserTaskError(message, code=name, status=status, request_id=request_id)


def strange_answer(base: str) -> BrowserTaskError:
    message = f"The server at {base} is not a Browser Task Service, or has an incompatible version."
    return BrowserTaskError(message, code="answer_invalid")


def timed_out() -> BrowserTaskError:
    return BrowserTaskError("Not done in the given time.", code="timeout")
