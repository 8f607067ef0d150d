"""Does what misbehaviours.ts asks of a client. Reads the calls as JSON, prints what came of them; `sync` or `async`."""

import asyncio
import faulthandler
import json
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import httpx

from browser_task_client import AsyncBrowserTasks, BrowserTaskError, BrowserTasks

START = {"task": "Buy tea", "browser_session_id": "s"}
ANSWER = {"action": "accept", "content": "42"}


def options_of(call):
    given = {}
    if call["timeoutMs"] is not None:
        given["timeout"] = call["timeoutMs"] / 1000
    if call["answersInputs"]:
        given["on_input"] = lambda request: ANSWER
    return given


def failed(call, error, seqs):
    name = error.code if isinstance(error, BrowserTaskError) else repr(error)
    if isinstance(error, (KeyboardInterrupt, asyncio.CancelledError)):
        name = "aborted"
    return {"error": name, "seqs": seqs} if call["call"] == "events" else {"error": name}


# One of each for all: to make one, the certificates of this machine are read.
LIMITS = httpx.Limits(max_connections=None)
CONTROL_S = 60


def client_options(call):
    return {"max_retries": call["maxRetries"], "retry_for": call["retryForMs"] / 1000}


def in_sync(call):
    seqs = []
    options = options_of(call)
    client = BrowserTasks(call["baseUrl"], http=SYNC, **client_options(call))
    if call["isAborted"]:

        def interrupt():
            SYNC.get(call["baseUrl"] + "/abort", timeout=CONTROL_S)
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

        threading.Thread(target=interrupt, daemon=True).start()
    try:
        kind = call["call"]
        if kind in ("events", "workspace_events"):
            events = client.events() if kind == "workspace_events" else client.tasks.events("a", after=call["after"] or 0)
            for event in events:
                seqs.append(event.seq)
                if kind == "workspace_events":
                    break
            return {"seqs": seqs}
        if kind == "usage":
            return {"value": client.usage(**options).taskCount}
        if kind == "list":
            for _ in client.tasks.list():
                pass
            return {}
        if kind == "create":
            return {"value": client.tasks.create(**START, **options).id}
        if kind == "wait":
            return {"value": client.tasks.wait("a", **options).status}
        on_event = {"on_event": lambda event: None} if kind == "run_with_events" else {}
        return {"value": client.tasks.run(**START, **options, **on_event).status}
    except (BrowserTaskError, KeyboardInterrupt) as error:
        return failed(call, error, seqs)


async def in_async(call, http):
    seqs = []
    options = options_of(call)
    client = AsyncBrowserTasks(call["baseUrl"], http=http, **client_options(call))

    async def work():
        kind = call["call"]
        if kind in ("events", "workspace_events"):
            events = client.events() if kind == "workspace_events" else client.tasks.events("a", after=call["after"] or 0)
            async for event in events:
                seqs.append(event.seq)
                if kind == "workspace_events":
                    break
            return {"seqs": seqs}
        if kind == "usage":
            return {"value": (await client.usage(**options)).taskCount}
        if kind == "list":
            async for _ in client.tasks.list():
                pass
            return {}
        if kind == "create":
            return {"value": (await client.tasks.create(**START, **options)).id}
        if kind == "wait":
            return {"value": (await client.tasks.wait("a", **options)).status}
        on_event = {"on_event": lambda event: None} if kind == "run_with_events" else {}
        return {"value": (await client.tasks.run(**START, **options, **on_event)).status}

    task = asyncio.ensure_future(work())
    if call["isAborted"]:

        async def interrupt():
            await http.get(call["baseUrl"] + "/abort", timeout=CONTROL_S)
            task.cancel()

        asyncio.ensure_future(interrupt())
    try:
        return await task
    except (BrowserTaskError, asyncio.CancelledError) as error:
        return failed(call, error, seqs)


async def all_async(calls):
    async with httpx.AsyncClient(limits=LIMITS) as http:
        return await asyncio.gather(*(in_async(call, http) for call in calls))


# Where a client hangs is told, by the stacks of all threads, before the time of the test file is over.
faulthandler.dump_traceback_later(60, exit=True)
calls = json.load(sys.stdin)
if sys.argv[1] == "async":
    results = dict(zip((call["name"] for call in calls), asyncio.run(all_async(calls))))
else:
    SYNC = httpx.Client(limits=LIMITS)
    together = [call for call in calls if not call["isAborted"]]
    with ThreadPoolExecutor(len(together)) as pool:
        results = dict(zip((call["name"] for call in together), pool.map(in_sync, together)))
    # Ctrl-C reaches the main thread alone.
    for call in calls:
        if call["isAborted"]:
            results[call["name"]] = in_sync(call)
json.dump(results, sys.stdout)
