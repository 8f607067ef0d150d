from __future__ import annotations

from typing import Any


class BrowserTaskError(Exception):
    """What went wrong with a request. ``code`` is the stable name that the API gives it, or ``connection_failed`` when
    no answer came; ``status`` is then 0."""

    def __init__(
        self,
        message: str,
        *,
        code: str,
        status: int = 0,
        request_id: str | None = None,
        param: str | None = None,
        pointer: str | None = None,
        doc_url: str | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.request_id = request_id
        self.param = param
        """The field of the body, or the parameter of the query, that is wrong."""
        self.pointer = pointer
        """Where in the body that is: a JSON pointer such as ``/secrets/0/name``."""
        self.doc_url = doc_url
        """The page of the service's docs about this code."""
        self.task_id: str | None = None
        """The task that was followed when it went wrong: it may go on."""


class EventsExpired(BrowserTaskError):
    """Events behind the cursor are not kept any more. Reading can go on with ``after=error.oldest - 1``."""

    def __init__(self, message: str, oldest: int, **details: str | None) -> None:
        super().__init__(message, code="events_expired", status=410, **details)
        self.oldest = oldest


class OutputMismatch(BrowserTaskError):
    """A task has ended with an output that the given model does not accept."""

    def __init__(self, error: ValueError, task: Any) -> None:
        super().__init__(f"The output does not fit its model: {error}", code="output_mismatch")
        self.task = task


def error_of(base: str, status: int, headers: Any, body: object) -> BrowserTaskError:
    """The error for a failed response of the service at ``base``."""
    fields: dict[str, Any] = body if isinstance(body, dict) else {}

    def text(name: str) -> str | None:
        value = fields.get(name)
        return value if isinstance(value, str) else None

    message, code, oldest = text("error") or f"The service answered {status}.", text("code"), fields.get("oldest")
    doc_url = text("doc_url")
    details: dict[str, Any] = {
        "request_id": headers.get("x-request-id"),
        "param": text("param"),
        "pointer": text("pointer"),
        "doc_url": base + doc_url if doc_url and doc_url.startswith("/") else doc_url,
    }
    if code == "events_expired" and isinstance(oldest, int):
        return EventsExpired(message, oldest, **details)
    return BrowserTaskError(message, code=code or f"http_{status}", status=status, **details)


def strange_answer(base: str) -> BrowserTaskError:
    message = f"The server at {base} is not a Browser Task Service, or has an incompatible version."
    return BrowserTaskError(message, code="answer_invalid")


def timed_out() -> BrowserTaskError:
    return BrowserTaskError("Not done in the given time.", code="timeout")
