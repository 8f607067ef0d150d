from __future__ import annotations

import asyncio
import inspect
import json
import time
import uuid
import warnings
from typing import Any, AsyncIterator, Callable, Literal, TypeVar, overload

import httpx
from pydantic import BaseModel, ValidationError
from typing_extensions import Unpack

from . import models
from ._errors import BrowserTaskError, OutputMismatch, error_of, strange_answer, timed_out
from ._machine import Deadline, EventParser, Log, Patience, is_temporary, retry_after_of, warnings_in
from ._webhooks import unwrap

Output = TypeVar("Output", bound=BaseModel)
Given = TypeVar("Given", bound=BaseModel)
OnEvent = Callable[[models.StreamedEvent], Any]
OnInput = Callable[[models.InputRequest], Any]

ANSWER_S_MAX = 90.0
"""Longer than the service makes anyone wait: ``wait_s`` is at most 60."""
SILENCE_S_MAX = 45.0
"""Three pings: a stream that is silent for longer has lost its connection."""
STEADY_S = 10.0
"""A connection over which something comes after this time is a working one, even if nothing has happened."""
WAIT_S = 30
AT_ONCE_S = 1.0
"""What is answered sooner than this was not waited for."""
FINISH_S_MAX = 30.0
"""For how long a start that is under way is finished when its call ends."""
LOOK_AGAIN_S = 1.0
INTERRUPTS = (asyncio.CancelledError, KeyboardInterrupt)


class _AsyncHttp:
    """The requests of one client: retried, with one kind of error."""

    def __init__(
        self, base_url: str, key: str | None, max_retries: int, retry_for: float, client: httpx.AsyncClient | None
    ) -> None:
        if not base_url.lower().startswith(("http://", "https://")):
            raise BrowserTaskError(f"{base_url} is not a valid service address.", code="base_url_invalid")
        self.base = base_url.rstrip("/")
        self.headers = {} if key is None else {"authorization": f"Bearer {key}"}
        self.client = client or httpx.AsyncClient()
        self.is_own = client is None
        self.max_retries = max_retries
        self.retry_for = retry_for
        self.has_answered = False

    def interrupted(self, by: BaseException) -> None:
        """Ctrl-C may come while the pool of connections is locked, and leaves it so: what follows has another pool."""
        if self.is_own and isinstance(by, KeyboardInterrupt):
            self.client = httpx.AsyncClient()

    def patience(self, on_away: Callable[[bool], object] | None = None) -> Patience:
        patience = Patience(self.max_retries, self.retry_for, on_away)
        if self.has_answered:
            patience.connected()
        return patience

    async def json(self, method: str, path: str, deadline: Deadline, **given: Any) -> Any:
        response = await self.send(method, path, deadline, **given)
        if not response.is_success:
            raise self.refusal(response)
        answer = _json_of(response)
        if not isinstance(answer, dict):
            raise strange_answer(self.base)
        self.has_answered = True
        for message in warnings_in(response.headers):
            warnings.warn(f"{method} {path}: {message}", stacklevel=2)
        return answer

    async def ask(self, answer: type[Given], method: str, path: str, deadline: Deadline, **given: Any) -> Given:
        try:
            return answer.model_validate(await self.json(method, path, deadline, **given))
        except ValidationError:
            raise strange_answer(self.base) from None

    async def content(self, path: str, deadline: Deadline) -> bytes | None:
        response = await self.send("GET", path, deadline)
        if response.status_code == 404:
            return None
        if not response.is_success:
            raise self.refusal(response)
        return response.content

    async def send(
        self,
        method: str,
        path: str,
        deadline: Deadline,
        *,
        query: dict[str, Any] | None = None,
        body: Any = None,
        content: bytes | None = None,
        idempotency_key: str | None = None,
        patience: Patience | None = None,
        stream: bool = False,
    ) -> httpx.Response:
        """Sends a request again after 408, 429, 5xx, an Idempotency-Key in progress and lost connections."""
        headers = dict(self.headers)
        if method == "POST":
            headers["idempotency-key"] = idempotency_key or str(uuid.uuid4())
        if body is not None:
            headers["content-type"] = "application/json"
            content = json.dumps(body).encode()
        if stream:
            headers["accept"] = "text/event-stream"
        tries = patience or Patience(self.max_retries)
        while True:
            left = deadline.left(SILENCE_S_MAX if stream else ANSWER_S_MAX)
            if left <= 0:
                raise timed_out()
            response: httpx.Response | None = None
            failure: Exception | None = None
            request = self.client.build_request(
                method, self.base + path, params=_query(query), headers=headers, content=content, timeout=left
            )
            try:
                response = await self.client.send(request, stream=stream)
                if stream and response.status_code != 200:
                    await response.aread()
            except (httpx.HTTPError, httpx.StreamError) as error:
                response, failure = None, error
            if response is not None and (
                response.status_code < 400 or not is_temporary(response.status_code, _json_of(response))
            ):
                return response
            if deadline.left(1.0) <= 0:
                raise timed_out()
            delay = tries.failed(None if response is None else retry_after_of(response.headers))
            if delay is None:
                if response is not None:
                    return response
                raise BrowserTaskError(f"No service answers at {self.base}.", code="connection_failed") from failure
            await _pause(delay, deadline)

    def refusal(self, response: httpx.Response) -> BrowserTaskError:
        if response.is_success:
            return strange_answer(self.base)
        return error_of(self.base, response.status_code, response.headers, _json_of(response))

    async def stream(
        self,
        path: str,
        query: Callable[[], dict[str, Any]],
        take: Callable[[str | None, str], dict[str, Any] | None],
        is_last: Callable[[dict[str, Any]], bool],
        deadline: Deadline,
        patience: Patience,
    ) -> AsyncIterator[dict[str, Any]]:
        """What a stream brings, over lost connections: each is opened again behind what was taken."""
        while True:
            response = await self.send("GET", path, deadline, query=query(), patience=patience, stream=True)
            cause: Exception | None = None
            try:
                if response.status_code == 204:
                    return
                is_stream = response.headers.get("content-type", "").lower().startswith("text/event-stream")
                if response.status_code != 200 or not is_stream:
                    raise self.refusal(response)
                patience.connected()
                parser = EventParser()
                opened_at = time.monotonic()
                async for chunk in response.aiter_bytes():
                    if time.monotonic() - opened_at > STEADY_S:
                        patience.progressed()
                    for event_id, data in parser.feed(chunk):
                        item = take(event_id, data)
                        if item is None:
                            continue
                        patience.progressed()
                        yield item
                        if is_last(item):
                            return
            except (httpx.HTTPError, httpx.StreamError, json.JSONDecodeError) as error:
                cause = error
            finally:
                await response.aclose()
            if deadline.left(1.0) <= 0:
                raise timed_out()
            delay = patience.failed()
            if delay is None:
                message = "The connection was lost again and again before an event came."
                raise BrowserTaskError(message, code="connection_failed") from cause
            await _pause(delay, deadline)

    async def events(
        self,
        path: str,
        after: int | Literal["now"],
        types: list[str] | None,
        deadline: Deadline,
        on_away: Callable[[bool], object] | None,
        token: str | None,
        ends_with_task: bool,
    ) -> AsyncIterator[models.StreamedEvent]:
        patience = self.patience(on_away)
        if after == "now":
            query = {"after": "now", "limit": 1, "token": token}
            after = (await self.json("GET", path, deadline, query=query, patience=patience))["next_cursor"]
        log = Log(int(after))
        kinds = None if types is None else ",".join(types)
        async for item in self.stream(
            path,
            lambda: {"after": log.cursor, "types": kinds, "token": token},
            log.take,
            lambda item: ends_with_task and item.get("type") == "task.ended",
            deadline,
            patience,
        ):
            yield models.event_of(item)

    async def pages(
        self, item: type[Given], path: str, query: dict[str, Any], deadline: Deadline
    ) -> AsyncIterator[Given]:
        cursor: str | None = query.get("cursor")
        while True:
            page = await self.json("GET", path, deadline, query={**query, "cursor": cursor})
            try:
                items = [item.model_validate(each) for each in page["data"]]
            except (KeyError, TypeError, ValidationError):
                raise strange_answer(self.base) from None
            for each in items:
                yield each
            if page.get("next_cursor") is None:
                return
            if page["next_cursor"] == cursor:
                raise BrowserTaskError("The pages of the list go round.", code="answer_invalid")
            cursor = page["next_cursor"]


def _json_of(response: httpx.Response) -> Any:
    try:
        return response.json()
    except ValueError:
        return None


def _query(query: dict[str, Any] | None) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in (query or {}).items():
        if isinstance(value, dict):
            flat.update({f"{name}[{key}]": inner for key, inner in value.items()})
        elif value is not None:
            flat[name] = value
    return flat


async def _pause(seconds: float, deadline: Deadline) -> None:
    left = deadline.left(seconds)
    await asyncio.sleep(max(0.0, left))
    if left < seconds:
        raise timed_out()


async def _called(function: Callable[[Any], Any], argument: Any) -> Any:
    result = function(argument)
    return await result if inspect.isawaitable(result) else result


class AsyncTasks:
    """Tasks: start, follow, find, steer and end them."""

    def __init__(self, http: _AsyncHttp) -> None:
        self._http = http

    @overload
    async def run(
        self,
        *,
        output: type[Output],
        on_event: OnEvent | None = None,
        on_input: OnInput | None = None,
        timeout: float | None = None,
        idempotency_key: str | None = None,
        **params: Unpack[models.CreateTaskBody],
    ) -> models.TaskOf[Output]: ...
    @overload
    async def run(
        self,
        *,
        output: dict[str, Any] | None = None,
        on_event: OnEvent | None = None,
        on_input: OnInput | None = None,
        timeout: float | None = None,
        idempotency_key: str | None = None,
        **params: Unpack[models.CreateTaskBody],
    ) -> models.Task: ...
    async def run(
        self,
        *,
        output: Any = None,
        on_event: OnEvent | None = None,
        on_input: OnInput | None = None,
        timeout: float | None = None,
        idempotency_key: str | None = None,
        **params: Any,
    ) -> Any:
        """Starts a task and gives it once it has ended, or needs an answer that ``on_input`` does not give: then its
        ``state`` is ``waitingForInput``. ``timeout`` (seconds), a cancelled task of asyncio and Ctrl-C cancel the task,
        also while its start is under way."""
        deadline = Deadline(timeout)
        task_id = (await self._start("/v1/tasks", _body(params, output), idempotency_key, deadline)).id
        try:
            task = await self._follow(task_id, on_event, on_input, deadline)
        except BrowserTaskError as error:
            error.task_id = task_id
            if error.code == "timeout":
                await self._cancelled(task_id)
            raise
        except INTERRUPTS as interrupt:
            self._http.interrupted(interrupt)
            await self._cancelled(task_id)
            raise
        return _with_output(task, output)

    async def create(
        self,
        *,
        output: type[BaseModel] | dict[str, Any] | None = None,
        timeout: float | None = None,
        idempotency_key: str | None = None,
        **params: Unpack[models.CreateTaskBody],
    ) -> models.Task:
        """Starts a task and gives it at once: it runs in the background."""
        return await self._start("/v1/tasks", _body(params, output), idempotency_key, Deadline(timeout))

    async def rerun(
        self,
        task_id: str,
        *,
        output: type[BaseModel] | dict[str, Any] | None = None,
        timeout: float | None = None,
        idempotency_key: str | None = None,
        **changes: Unpack[models.RerunBody],
    ) -> models.Task:
        """Starts the same request again; ``changes`` replace its fields."""
        path = f"/v1/tasks/{task_id}/rerun"
        return await self._start(path, _body(changes, output), idempotency_key, Deadline(timeout))

    async def _start(self, path: str, body: Any, idempotency_key: str | None, deadline: Deadline) -> models.Task:
        """A start that is under way when its call ends is finished by its key, and its task cancelled: of a request
        that was given up nobody knows what it has started."""
        key = idempotency_key or str(uuid.uuid4())

        async def send(until: Deadline) -> models.Task:
            return await self._http.ask(models.Task, "POST", path, until, body=body, idempotency_key=key)

        async def finish() -> None:
            try:
                await self._cancelled((await send(Deadline(FINISH_S_MAX))).id)
            except BrowserTaskError:
                pass

        try:
            return await send(deadline)
        except BrowserTaskError as error:
            if error.code == "timeout":
                await finish()
            raise
        except INTERRUPTS as interrupt:
            self._http.interrupted(interrupt)
            await finish()
            raise

    async def _cancelled(self, task_id: str) -> None:
        try:
            await self.cancel(task_id, timeout=FINISH_S_MAX)
        except BrowserTaskError:
            pass

    @overload
    async def get(self, task_id: str, *, output: type[Output], timeout: float | None = None) -> models.TaskOf[Output]: ...
    @overload
    async def get(self, task_id: str, *, output: None = None, timeout: float | None = None) -> models.Task: ...
    async def get(self, task_id: str, *, output: Any = None, timeout: float | None = None) -> Any:
        return _with_output(
            await self._http.ask(models.Task, "GET", f"/v1/tasks/{task_id}", Deadline(timeout)), output
        )

    @overload
    async def wait(
        self, task_id: str, *, output: type[Output], on_input: OnInput | None = None, timeout: float | None = None
    ) -> models.TaskOf[Output]: ...
    @overload
    async def wait(
        self, task_id: str, *, output: None = None, on_input: OnInput | None = None, timeout: float | None = None
    ) -> models.Task: ...
    async def wait(
        self, task_id: str, *, output: Any = None, on_input: OnInput | None = None, timeout: float | None = None
    ) -> Any:
        """The task once it has ended, however long that takes, or needs an answer that ``on_input`` does not give.
        ``timeout`` ends the waiting, and not the task."""
        return _with_output(await self._follow(task_id, None, on_input, Deadline(timeout)), output)

    async def _follow(
        self, task_id: str, on_event: OnEvent | None, on_input: OnInput | None, deadline: Deadline
    ) -> models.Task:
        answered: set[str] = set()

        async def needs_answer(task: models.Task) -> bool:
            """Whether somebody else has to answer; else it is answered, each request once."""
            request = task.input_request
            if task.state != "waitingForInput" or request is None:
                return False
            if on_input is None:
                return True
            if request.id in answered:
                return False
            answered.add(request.id)
            answer = await _called(on_input, request)
            if answer is None:
                return False
            try:
                await self.answer(task_id, request.id, answer)
            except BrowserTaskError as error:
                # Somebody else has answered, or the time to answer is over.
                if error.status not in (404, 409):
                    raise
            return False

        path = f"/v1/tasks/{task_id}"
        if on_event is not None:
            async for event in self.events(task_id, timeout=deadline.left(float("inf"))):
                await _called(on_event, event)
                if event.type == "input.requested":
                    task = await self._http.ask(models.Task, "GET", path, deadline, patience=self._http.patience())
                    if await needs_answer(task):
                        return task
            return await self._http.ask(models.Task, "GET", path, deadline, patience=self._http.patience())
        patience = self._http.patience()
        sooner = 0
        since: int | None = None
        while True:
            asked_at = time.monotonic()
            query = {"wait_s": WAIT_S, "since": since}
            task = await self._http.ask(models.Task, "GET", path, deadline, query=query, patience=patience)
            if task.status != "running" or await needs_answer(task):
                return task
            patience.progressed()
            since = task.seq
            sooner = sooner + 1 if time.monotonic() - asked_at < AT_ONCE_S else 0
            if sooner > 0:
                await _pause(min(2.0 ** (sooner - 1), 8.0), deadline)

    async def events(
        self,
        task_id: str,
        *,
        after: int | Literal["now"] = 0,
        types: list[str] | None = None,
        token: str | None = None,
        timeout: float | None = None,
        on_away: Callable[[bool], object] | None = None,
    ) -> AsyncIterator[models.StreamedEvent]:
        """What happens in a task, each event once and in order, until it has ended; over lost connections."""
        kinds = None if types is None else [*types, "task.ended"]
        path = f"/v1/tasks/{task_id}/events"
        async for event in self._http.events(path, after, kinds, Deadline(timeout), on_away, token, True):
            yield event

    async def live(
        self, task_id: str, *, token: str | None = None, timeout: float | None = None
    ) -> AsyncIterator[models.LivePicture]:
        """What the browser of a running task shows: pictures, until the task has ended."""
        async for item in self._http.stream(
            f"/v1/tasks/{task_id}/live",
            lambda: {"token": token},
            lambda _, data: json.loads(data),
            lambda _: False,
            Deadline(timeout),
            self._http.patience(),
        ):
            yield models.LivePicture.model_validate(item)

    async def list(self, *, timeout: float | None = None, **query: Unpack[models.ListTasksQuery]) -> AsyncIterator[models.TaskSummary]:
        """Every task that fulfils the conditions, newest first; pages are read as they are needed."""
        async for task in self._http.pages(models.TaskSummary, "/v1/tasks", dict(query), Deadline(timeout)):
            yield task

    async def steps(self, task_id: str, *, timeout: float | None = None) -> AsyncIterator[models.Step]:
        path = f"/v1/tasks/{task_id}/steps"
        async for step in self._http.pages(models.Step, path, {"limit": 200}, Deadline(timeout)):
            yield step

    async def files(self, task_id: str, *, timeout: float | None = None) -> AsyncIterator[models.TaskFile]:
        """The files that the task was given, and those that it downloaded, oldest first."""
        async for file in self._http.pages(models.TaskFile, f"/v1/tasks/{task_id}/files", {}, Deadline(timeout)):
            yield file

    async def _act(
        self, task_id: str, what: str, body: Any, idempotency_key: str | None, timeout: float | None
    ) -> models.Task:
        path = f"/v1/tasks/{task_id}/{what}"
        key = idempotency_key
        return await self._http.ask(models.Task, "POST", path, Deadline(timeout), body=body, idempotency_key=key)

    async def cancel(
        self, task_id: str, *, idempotency_key: str | None = None, timeout: float | None = None
    ) -> models.Task:
        """Ends a running task; the task once it has ended."""
        return await self._act(task_id, "cancel", {}, idempotency_key, timeout)

    async def pause(
        self, task_id: str, *, idempotency_key: str | None = None, timeout: float | None = None
    ) -> models.Task:
        """Keeps a task from making calls until it is resumed."""
        return await self._act(task_id, "pause", {}, idempotency_key, timeout)

    async def resume(
        self, task_id: str, *, idempotency_key: str | None = None, timeout: float | None = None
    ) -> models.Task:
        return await self._act(task_id, "resume", {}, idempotency_key, timeout)

    async def delete(self, task_id: str, *, timeout: float | None = None) -> None:
        """Removes a task that has ended."""
        await self._http.json("DELETE", f"/v1/tasks/{task_id}", Deadline(timeout))

    async def message(
        self,
        task_id: str,
        text: str,
        *,
        interrupt: bool = False,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> None:
        """Says something to a running task: the model reads it before its next step, or at once (``interrupt``)."""
        body = {"text": text, "interrupt": interrupt}
        path = f"/v1/tasks/{task_id}/messages"
        await self._http.json("POST", path, Deadline(timeout), body=body, idempotency_key=idempotency_key)

    async def answer(
        self,
        task_id: str,
        request_id: str,
        answer: models.InputBody,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> None:
        """Answers what a task asks its user: its ``input_request``."""
        path = f"/v1/tasks/{task_id}/inputs/{request_id}"
        await self._http.json("POST", path, Deadline(timeout), body=answer, idempotency_key=idempotency_key)

    async def token(self, task_id: str, *, timeout: float | None = None) -> models.ReadToken:
        """A token by which a page without a key follows ``events`` and ``live`` of this task for 15 minutes."""
        path = f"/v1/tasks/{task_id}/tokens"
        return await self._http.ask(models.ReadToken, "POST", path, Deadline(timeout), body={})

    async def share(
        self, task_id: str, *, expires_in_s: int | None = None, timeout: float | None = None
    ) -> models.CreatedShare:
        """A link by which anybody reads task, answer and output, for a week or ``expires_in_s``; a link made earlier
        ends."""
        path = f"/v1/tasks/{task_id}/share"
        body = {} if expires_in_s is None else {"expires_in_s": expires_in_s}
        return await self._http.ask(models.CreatedShare, "POST", path, Deadline(timeout), body=body)

    async def unshare(self, task_id: str, *, timeout: float | None = None) -> None:
        """Ends the link to the result."""
        await self._http.json("DELETE", f"/v1/tasks/{task_id}/share", Deadline(timeout))

    async def screenshot(self, task_id: str, step: int, *, timeout: float | None = None) -> bytes | None:
        """The screenshot of a step, a JPEG; ``None`` when there is none."""
        return await self._http.content(f"/v1/tasks/{task_id}/screenshots/{step}", Deadline(timeout))

    async def picture(self, task_id: str, picture: int, *, timeout: float | None = None) -> bytes | None:
        """What the tab showed after a call; ``None`` when there is none."""
        return await self._http.content(f"/v1/tasks/{task_id}/pictures/{picture}", Deadline(timeout))

    async def file(self, task_id: str, file_id: str, *, timeout: float | None = None) -> bytes | None:
        """The bytes of a file of the task; ``None`` when there is none."""
        return await self._http.content(f"/v1/tasks/{task_id}/files/{file_id}", Deadline(timeout))


def _body(params: Any, output: Any) -> dict[str, Any]:
    if output is None:
        return dict(params)
    schema = output if isinstance(output, dict) else output.model_json_schema()
    return {**params, "output_schema": schema}


def _with_output(task: models.Task, output: Any) -> Any:
    if output is None or isinstance(output, dict):
        return task
    try:
        return models.TaskOf[output].model_validate(task.model_dump(by_alias=True))
    except ValidationError as error:
        raise OutputMismatch(error, task) from error


class AsyncBrowsers:
    """Paired browsers."""

    def __init__(self, http: _AsyncHttp) -> None:
        self._http = http

    async def pair(self, *, timeout: float | None = None, **params: Unpack[models.PairBody]) -> models.Pairing:
        """A link by which a person pairs a browser: valid for one browser and five minutes."""
        path = "/v1/browser-sessions/pair"
        return await self._http.ask(models.Pairing, "POST", path, Deadline(timeout), body=dict(params))

    async def list(
        self, *, timeout: float | None = None, **query: Unpack[models.ListBrowserSessionsQuery]
    ) -> AsyncIterator[models.BrowserSession]:
        path = "/v1/browser-sessions"
        async for browser in self._http.pages(models.BrowserSession, path, dict(query), Deadline(timeout)):
            yield browser

    async def newest(self, *, timeout: float | None = None) -> models.BrowserSession | None:
        """Of the browsers that are connected, but for those of pools, the one that connected last; ``None`` when none is."""
        newest: models.BrowserSession | None = None
        async for browser in self.list(status="connected", timeout=timeout):
            if browser.pool is None and (
                newest is None or (browser.connected_at or 0) > (newest.connected_at or 0)
            ):
                newest = browser
        return newest

    async def connected(self, *, timeout: float | None = None) -> models.BrowserSession:
        """The same, waited for if need be."""
        deadline = Deadline(timeout)
        while True:
            browser = await self.newest(timeout=deadline.left(ANSWER_S_MAX))
            if browser is not None:
                return browser
            await _pause(LOOK_AGAIN_S, deadline)

    async def allow_tasks(self, session_id: str, is_allowed: bool, *, timeout: float | None = None) -> None:
        """Says whether this browser may start tasks of its own."""
        body = {"allow_tasks": is_allowed}
        await self._http.json("POST", f"/v1/browser-sessions/{session_id}", Deadline(timeout), body=body)

    async def remove(self, session_id: str, *, timeout: float | None = None) -> None:
        """Ends a pairing."""
        await self._http.json("DELETE", f"/v1/browser-sessions/{session_id}", Deadline(timeout))


class AsyncWebhooks:
    """Webhook endpoints, and what is sent to them."""

    unwrap = staticmethod(unwrap)

    def __init__(self, http: _AsyncHttp) -> None:
        self._http = http

    async def create(
        self, *, timeout: float | None = None, **params: Unpack[models.CreateEndpointBody]
    ) -> models.EndpointCreated:
        """Makes an endpoint, whose secret is in this answer and nowhere else."""
        path = "/v1/webhook-endpoints"
        return await self._http.ask(models.EndpointCreated, "POST", path, Deadline(timeout), body=dict(params))

    async def list(self, *, timeout: float | None = None) -> AsyncIterator[models.Endpoint]:
        async for endpoint in self._http.pages(models.Endpoint, "/v1/webhook-endpoints", {}, Deadline(timeout)):
            yield endpoint

    async def get(self, endpoint_id: str, *, timeout: float | None = None) -> models.Endpoint:
        path = f"/v1/webhook-endpoints/{endpoint_id}"
        return await self._http.ask(models.Endpoint, "GET", path, Deadline(timeout))

    async def update(
        self, endpoint_id: str, *, timeout: float | None = None, **changes: Unpack[models.ChangeEndpointBody]
    ) -> models.Endpoint:
        path = f"/v1/webhook-endpoints/{endpoint_id}"
        return await self._http.ask(models.Endpoint, "PATCH", path, Deadline(timeout), body=dict(changes))

    async def delete(self, endpoint_id: str, *, timeout: float | None = None) -> None:
        await self._http.json("DELETE", f"/v1/webhook-endpoints/{endpoint_id}", Deadline(timeout))

    async def rotate(self, endpoint_id: str, *, timeout: float | None = None) -> models.EndpointRotated:
        """Gives an endpoint a new secret; the former one is valid for another 24 hours."""
        path = f"/v1/webhook-endpoints/{endpoint_id}/rotate"
        return await self._http.ask(models.EndpointRotated, "POST", path, Deadline(timeout), body={})

    async def test(self, endpoint_id: str, *, timeout: float | None = None) -> models.Delivery:
        """Sends an event of the type ``webhook.test``."""
        path = f"/v1/webhook-endpoints/{endpoint_id}/test"
        return await self._http.ask(models.Delivery, "POST", path, Deadline(timeout), body={})

    async def deliveries(
        self,
        endpoint_id: str,
        *,
        timeout: float | None = None,
        **query: Unpack[models.ListWebhookDeliveriesQuery],
    ) -> AsyncIterator[models.Delivery]:
        """Every delivery to an endpoint, newest first, with its attempts."""
        path = f"/v1/webhook-endpoints/{endpoint_id}/deliveries"
        async for delivery in self._http.pages(models.Delivery, path, dict(query), Deadline(timeout)):
            yield delivery

    async def recover(self, endpoint_id: str, since: int, *, timeout: float | None = None) -> models.Recovered:
        """Sends what has failed since a time (ms) again."""
        path = f"/v1/webhook-endpoints/{endpoint_id}/recover"
        return await self._http.ask(models.Recovered, "POST", path, Deadline(timeout), body={"since": since})

    async def delivery(self, delivery_id: str, *, timeout: float | None = None) -> models.Delivery:
        path = f"/v1/webhook-deliveries/{delivery_id}"
        return await self._http.ask(models.Delivery, "GET", path, Deadline(timeout))

    async def redeliver(self, delivery_id: str, *, timeout: float | None = None) -> models.Delivery:
        path = f"/v1/webhook-deliveries/{delivery_id}/redeliver"
        return await self._http.ask(models.Delivery, "POST", path, Deadline(timeout), body={})


class AsyncProfiles:
    """Profiles, which keep tasks signed in to sites. A profile is named by its name or its id."""

    def __init__(self, http: _AsyncHttp) -> None:
        self._http = http

    async def create(self, name: str, *, timeout: float | None = None) -> models.Profile:
        return await self._http.ask(models.Profile, "POST", "/v1/profiles", Deadline(timeout), body={"name": name})

    async def list(self, *, timeout: float | None = None) -> AsyncIterator[models.Profile]:
        async for profile in self._http.pages(models.Profile, "/v1/profiles", {}, Deadline(timeout)):
            yield profile

    async def get(self, name: str, *, timeout: float | None = None) -> models.Profile:
        return await self._http.ask(models.Profile, "GET", f"/v1/profiles/{name}", Deadline(timeout))

    async def delete(self, name: str, *, timeout: float | None = None) -> None:
        await self._http.json("DELETE", f"/v1/profiles/{name}", Deadline(timeout))

    async def sign_in(
        self, name: str, *, timeout: float | None = None, **params: Unpack[models.SignInBody]
    ) -> models.Task:
        """Starts a task in which a person signs in over the live view, and then accepts its ``input_request``."""
        path = f"/v1/profiles/{name}/sign-in"
        return await self._http.ask(models.Task, "POST", path, Deadline(timeout), body=dict(params))


class AsyncRecipes:
    """What tasks were played by, one for each template."""

    def __init__(self, http: _AsyncHttp) -> None:
        self._http = http

    async def list(
        self, *, timeout: float | None = None, **query: Unpack[models.ListRecipesQuery]
    ) -> AsyncIterator[models.RecipeSummary]:
        """Every recipe, newest first."""
        async for recipe in self._http.pages(models.RecipeSummary, "/v1/recipes", dict(query), Deadline(timeout)):
            yield recipe

    async def get(self, recipe_id: str, *, timeout: float | None = None) -> models.Recipe:
        """One with its steps in words."""
        query = {"format": "json"}
        return await self._http.ask(models.Recipe, "GET", f"/v1/recipes/{recipe_id}", Deadline(timeout), query=query)

    async def playwright(self, recipe_id: str, *, timeout: float | None = None) -> str:
        """Its current version as a Playwright test in TypeScript."""
        query = {"format": "playwright"}
        response = await self._http.send("GET", f"/v1/recipes/{recipe_id}", Deadline(timeout), query=query)
        if not response.is_success:
            raise self._http.refusal(response)
        return response.text

    async def update(
        self, recipe_id: str, *, timeout: float | None = None, **changes: Unpack[models.ChangeRecipeBody]
    ) -> models.Recipe:
        """Disables it, or enables it again."""
        path = f"/v1/recipes/{recipe_id}"
        return await self._http.ask(models.Recipe, "PATCH", path, Deadline(timeout), body=dict(changes))

    async def delete(self, recipe_id: str, *, timeout: float | None = None) -> None:
        await self._http.json("DELETE", f"/v1/recipes/{recipe_id}", Deadline(timeout))


class AsyncKeys:
    """Keys of the workspace."""

    def __init__(self, http: _AsyncHttp) -> None:
        self._http = http

    async def create(self, *, timeout: float | None = None, **params: Unpack[models.CreateKeyBody]) -> models.KeyCreated:
        """Makes a key, whose text is in this answer and nowhere else."""
        return await self._http.ask(models.KeyCreated, "POST", "/v1/api-keys", Deadline(timeout), body=dict(params))

    async def list(self, *, timeout: float | None = None) -> AsyncIterator[models.ApiKey]:
        async for key in self._http.pages(models.ApiKey, "/v1/api-keys", {}, Deadline(timeout)):
            yield key

    async def delete(self, key_id: str, *, timeout: float | None = None) -> None:
        await self._http.json("DELETE", f"/v1/api-keys/{key_id}", Deadline(timeout))


class AsyncMembers:
    """People of the workspace, and the invitations by which they come. For who is signed in with an account (its cookie
    in the ``http`` that the client is given), not for keys."""

    def __init__(self, http: _AsyncHttp) -> None:
        self._http = http

    async def list(self, *, timeout: float | None = None) -> AsyncIterator[models.Member]:
        async for member in self._http.pages(models.Member, "/v1/members", {}, Deadline(timeout)):
            yield member

    async def set_role(self, member_id: str, role: str, *, timeout: float | None = None) -> models.RoleSet:
        path = f"/v1/members/{member_id}"
        return await self._http.ask(models.RoleSet, "PATCH", path, Deadline(timeout), body={"role": role})

    async def remove(self, member_id: str, *, timeout: float | None = None) -> None:
        """Removes a member; everybody may leave."""
        await self._http.json("DELETE", f"/v1/members/{member_id}", Deadline(timeout))

    async def invitations(self, *, timeout: float | None = None) -> AsyncIterator[models.Invitation]:
        """Invitations that nobody has accepted yet."""
        async for invitation in self._http.pages(models.Invitation, "/v1/invitations", {}, Deadline(timeout)):
            yield invitation

    async def invite(
        self, *, timeout: float | None = None, **params: Unpack[models.InviteBody]
    ) -> models.InvitationCreated:
        """Makes a link by which one person joins: it is in this answer and nowhere else."""
        path = "/v1/invitations"
        return await self._http.ask(models.InvitationCreated, "POST", path, Deadline(timeout), body=dict(params))

    async def revoke_invitation(self, invitation_id: str, *, timeout: float | None = None) -> None:
        await self._http.json("DELETE", f"/v1/invitations/{invitation_id}", Deadline(timeout))


class AsyncBrowserTasks:
    """A client of the Browser Task Service. Requests are repeated after failures that may pass, and what goes wrong is a
    ``BrowserTaskError`` with ``code``, ``status`` and ``request_id``."""

    def __init__(
        self,
        base_url: str,
        key: str | None = None,
        *,
        max_retries: int = 4,
        retry_for: float = 300.0,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        self._http = _AsyncHttp(base_url, key, max_retries, retry_for, http)
        self.tasks = AsyncTasks(self._http)
        self.browsers = AsyncBrowsers(self._http)
        self.profiles = AsyncProfiles(self._http)
        self.webhooks = AsyncWebhooks(self._http)
        self.recipes = AsyncRecipes(self._http)
        self.keys = AsyncKeys(self._http)
        self.members = AsyncMembers(self._http)

    async def events(
        self,
        *,
        after: int | Literal["now"] = "now",
        types: list[str] | None = None,
        timeout: float | None = None,
        on_away: Callable[[bool], object] | None = None,
    ) -> AsyncIterator[models.StreamedEvent]:
        """What happens in all tasks of the workspace, from now on or behind a cursor, each event once and in order."""
        async for event in self._http.events("/v1/events", after, types, Deadline(timeout), on_away, None, False):
            yield event

    async def upload(
        self, name: str, content: bytes, *, media_type: str | None = None, timeout: float | None = None
    ) -> models.UploadedFile:
        """Keeps a file of up to 25 MB for 24 hours, or as long as a task that names it by ``file_id``."""
        query = {"name": name, "media_type": media_type}
        return await self._http.ask(
            models.UploadedFile, "POST", "/v1/files", Deadline(timeout), query=query, content=content
        )

    async def usage(
        self, *, since: int | None = None, group_by: str | None = None, timeout: float | None = None
    ) -> models.UsageSummary:
        """Tokens, model calls, cost and tasks, from ``since`` (ms) on; with ``group_by`` also by day, model, key, outcome."""
        query = {"since": since, "group_by": group_by}
        return await self._http.ask(models.UsageSummary, "GET", "/v1/usage", Deadline(timeout), query=query)

    async def credits(self, *, timeout: float | None = None) -> models.Credits:
        return await self._http.ask(models.Credits, "GET", "/v1/billing/credits", Deadline(timeout))

    async def limits(self, *, timeout: float | None = None) -> models.Limits:
        """What the workspace may."""
        return await self._http.ask(models.Limits, "GET", "/v1/limits", Deadline(timeout))

    async def update_limits(
        self, *, timeout: float | None = None, **changes: Unpack[models.ChangeLimitsBody]
    ) -> models.Limits:
        return await self._http.ask(models.Limits, "PATCH", "/v1/limits", Deadline(timeout), body=dict(changes))

    async def audit(
        self, *, timeout: float | None = None, **query: Unpack[models.ListAuditEntriesQuery]
    ) -> AsyncIterator[models.AuditEntry]:
        """What was done in the workspace, and by whom, newest first."""
        async for entry in self._http.pages(models.AuditEntry, "/v1/audit", dict(query), Deadline(timeout)):
            yield entry

    async def me(self, *, timeout: float | None = None) -> models.Me:
        return await self._http.ask(models.Me, "GET", "/v1/me", Deadline(timeout))

    async def health(self, *, timeout: float | None = None) -> models.Health:
        return await self._http.ask(models.Health, "GET", "/v1/health", Deadline(timeout))

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: dict[str, Any] | None = None,
        body: Any = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> dict[str, Any]:
        """Asks any route of the API, and gives the JSON of its answer."""
        deadline = Deadline(timeout)
        given = {"query": query, "body": body, "idempotency_key": idempotency_key}
        answer: dict[str, Any] = await self._http.json(method, path, deadline, **given)
        return answer

    async def aclose(self) -> None:
        await self._http.client.aclose()

    async def __aenter__(self) -> AsyncBrowserTasks:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
