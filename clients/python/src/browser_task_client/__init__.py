"""A client of the Browser Task Service, synchronous and asynchronous."""

from . import models
from ._async import AsyncBrowserTasks
from ._errors import BrowserTaskError, EventsExpired, OutputMismatch
from ._sync import BrowserTasks
from ._webhooks import unwrap

__all__ = [
    "AsyncBrowserTasks",
    "BrowserTaskError",
    "BrowserTasks",
    "EventsExpired",
    "OutputMismatch",
    "models",
    "unwrap",
]
