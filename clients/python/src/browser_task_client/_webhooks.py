from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from typing import Any, Mapping

from ._errors import BrowserTaskError

TOLERANCE_S = 300


def unwrap(body: str | bytes, headers: Mapping[str, str], secret: str, now: float | None = None) -> dict[str, Any]:
    """The event in the body of a webhook, once its signature is verified (Standard Webhooks 1.0): over the raw body, by
    the endpoint's secret, not older than five minutes."""
    try:
        key = base64.b64decode(str(secret or "").removeprefix("whsec_"), validate=True)
    except ValueError:
        key = b""
    if not key:
        message = "Pass the secret of the webhook endpoint: whsec_ and base64, as it was shown when it was made."
        raise BrowserTaskError(message, code="webhook_secret_invalid")
    given = {name.lower(): value for name, value in headers.items()}
    names = ("webhook-id", "webhook-timestamp", "webhook-signature")
    event_id, timestamp, signatures = (given.get(name, "") for name in names)
    if not (event_id and timestamp and signatures):
        raise _invalid("The webhook headers are missing.")
    moment = time.time() if now is None else now
    if not timestamp.isdecimal() or abs(moment - int(timestamp)) > TOLERANCE_S:
        raise _invalid("The webhook is too old or too new.")
    raw = body.encode() if isinstance(body, str) else body
    signed = f"{event_id}.{timestamp}.".encode() + raw
    wanted = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    if not any(hmac.compare_digest(wanted, each) for each in signatures.split(" ") if each.isascii()):
        raise _invalid("The signature of the webhook is wrong.")
    event: dict[str, Any] = json.loads(raw)
    return event


def _invalid(message: str) -> BrowserTaskError:
    return BrowserTaskError(message, code="webhook_invalid")
