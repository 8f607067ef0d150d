// node_modules/eventsource-parser/dist/index.js
var ParseError = class extends Error {
  constructor(message, options) {
    super(message), this.name = "ParseError", this.type = options.type, this.field = options.field, this.value = options.value, this.line = options.line;
  }
};
var LF = 10;
var CR = 13;
var SPACE = 32;
function noop(_arg) {
}
function createParser(config) {
  if (typeof config == "function")
    throw new TypeError(
      "`config` must be an object, got a function instead. Did you mean `createParser({onEvent: fn})`?"
    );
  const { onEvent = noop, onError = noop, onRetry = noop, onComment, maxBufferSize } = config, pendingFragments = [];
  let pendingFragmentsLength = 0, isFirstChunk = true, id, data = "", dataLines = 0, eventType, terminated = false;
  function feed(chunk) {
    if (terminated)
      throw new Error(
        "Cannot feed parser: it was terminated after exceeding the configured max buffer size. Call `reset()` to resume parsing."
      );
    if (isFirstChunk && (isFirstChunk = false, chunk.charCodeAt(0) === 239 && chunk.charCodeAt(1) === 187 && chunk.charCodeAt(2) === 191 && (chunk = chunk.slice(3))), pendingFragments.length === 0) {
      const trailing2 = processLines(chunk);
      trailing2 !== "" && (pendingFragments.push(trailing2), pendingFragmentsLength = trailing2.length), checkBufferSize();
      return;
    }
    if (chunk.indexOf(`
`) === -1 && chunk.indexOf("\r") === -1) {
      pendingFragments.push(chunk), pendingFragmentsLength += chunk.length, checkBufferSize();
      return;
    }
    pendingFragments.push(chunk);
    const input = pendingFragments.join("");
    pendingFragments.length = 0, pendingFragmentsLength = 0;
    const trailing = processLines(input);
    trailing !== "" && (pendingFragments.push(trailing), pendingFragmentsLength = trailing.length), checkBufferSize();
  }
  function checkBufferSize() {
    maxBufferSize !== void 0 && (pendingFragmentsLength + data.length <= maxBufferSize || (terminated = true, pendingFragments.length = 0, pendingFragmentsLength = 0, id = void 0, data = "", dataLines = 0, eventType = void 0, onError(
      new ParseError(`Buffered data exceeded max buffer size of ${maxBufferSize} characters`, {
        type: "max-buffer-size-exceeded"
      })
    )));
  }
  function processLines(chunk) {
    let searchIndex = 0;
    if (chunk.indexOf("\r") === -1) {
      let lfIndex = chunk.indexOf(`
`, searchIndex);
      for (; lfIndex !== -1; ) {
        if (searchIndex === lfIndex) {
          dataLines > 0 && onEvent({ id, event: eventType, data }), id = void 0, data = "", dataLines = 0, eventType = void 0, searchIndex = lfIndex + 1, lfIndex = chunk.indexOf(`
`, searchIndex);
          continue;
        }
        const firstCharCode = chunk.charCodeAt(searchIndex);
        if (isDataPrefix(chunk, searchIndex, firstCharCode)) {
          const valueStart = chunk.charCodeAt(searchIndex + 5) === SPACE ? searchIndex + 6 : searchIndex + 5, value = chunk.slice(valueStart, lfIndex);
          if (dataLines === 0 && chunk.charCodeAt(lfIndex + 1) === LF) {
            onEvent({ id, event: eventType, data: value }), id = void 0, data = "", eventType = void 0, searchIndex = lfIndex + 2, lfIndex = chunk.indexOf(`
`, searchIndex);
            continue;
          }
          data = dataLines === 0 ? value : `${data}
${value}`, dataLines++;
        } else isEventPrefix(chunk, searchIndex, firstCharCode) ? eventType = chunk.slice(
          chunk.charCodeAt(searchIndex + 6) === SPACE ? searchIndex + 7 : searchIndex + 6,
          lfIndex
        ) || void 0 : parseLine(chunk, searchIndex, lfIndex);
        searchIndex = lfIndex + 1, lfIndex = chunk.indexOf(`
`, searchIndex);
      }
      return chunk.slice(searchIndex);
    }
    for (; searchIndex < chunk.length; ) {
      const crIndex = chunk.indexOf("\r", searchIndex), lfIndex = chunk.indexOf(`
`, searchIndex);
      let lineEnd = -1;
      if (crIndex !== -1 && lfIndex !== -1 ? lineEnd = crIndex < lfIndex ? crIndex : lfIndex : crIndex !== -1 ? crIndex === chunk.length - 1 ? lineEnd = -1 : lineEnd = crIndex : lfIndex !== -1 && (lineEnd = lfIndex), lineEnd === -1)
        break;
      parseLine(chunk, searchIndex, lineEnd), searchIndex = lineEnd + 1, chunk.charCodeAt(searchIndex - 1) === CR && chunk.charCodeAt(searchIndex) === LF && searchIndex++;
    }
    return chunk.slice(searchIndex);
  }
  function parseLine(chunk, start, end) {
    if (start === end) {
      dispatchEvent();
      return;
    }
    const firstCharCode = chunk.charCodeAt(start);
    if (isDataPrefix(chunk, start, firstCharCode)) {
      const valueStart = chunk.charCodeAt(start + 5) === SPACE ? start + 6 : start + 5, value2 = chunk.slice(valueStart, end);
      data = dataLines === 0 ? value2 : `${data}
${value2}`, dataLines++;
      return;
    }
    if (isEventPrefix(chunk, start, firstCharCode)) {
      eventType = chunk.slice(chunk.charCodeAt(start + 6) === SPACE ? start + 7 : start + 6, end) || void 0;
      return;
    }
    if (firstCharCode === 105 && chunk.charCodeAt(start + 1) === 100 && chunk.charCodeAt(start + 2) === 58) {
      const value2 = chunk.slice(chunk.charCodeAt(start + 3) === SPACE ? start + 4 : start + 3, end);
      value2.includes("\0") || (id = value2);
      return;
    }
    if (firstCharCode === 58) {
      if (onComment) {
        const line2 = chunk.slice(start, end);
        onComment(line2.slice(chunk.charCodeAt(start + 1) === SPACE ? 2 : 1));
      }
      return;
    }
    const line = chunk.slice(start, end), fieldSeparatorIndex = line.indexOf(":");
    if (fieldSeparatorIndex === -1) {
      processField(line, "", line);
      return;
    }
    const field = line.slice(0, fieldSeparatorIndex), offset = line.charCodeAt(fieldSeparatorIndex + 1) === SPACE ? 2 : 1, value = line.slice(fieldSeparatorIndex + offset);
    processField(field, value, line);
  }
  function processField(field, value, line) {
    switch (field) {
      case "event":
        eventType = value || void 0;
        break;
      case "data":
        data = dataLines === 0 ? value : `${data}
${value}`, dataLines++;
        break;
      case "id":
        value.includes("\0") || (id = value);
        break;
      case "retry":
        /^\d+$/.test(value) ? onRetry(parseInt(value, 10)) : onError(
          new ParseError(`Invalid \`retry\` value: "${value}"`, {
            type: "invalid-retry",
            value,
            line
          })
        );
        break;
      default:
        onError(
          new ParseError(
            `Unknown field "${field.length > 20 ? `${field.slice(0, 20)}\u2026` : field}"`,
            { type: "unknown-field", field, value, line }
          )
        );
        break;
    }
  }
  function dispatchEvent() {
    dataLines > 0 && onEvent({
      id,
      event: eventType,
      data
    }), id = void 0, data = "", dataLines = 0, eventType = void 0;
  }
  function reset(options = {}) {
    if (options.consume && pendingFragments.length > 0) {
      const incompleteLine = pendingFragments.join("");
      parseLine(incompleteLine, 0, incompleteLine.length);
    }
    isFirstChunk = true, id = void 0, data = "", dataLines = 0, eventType = void 0, pendingFragments.length = 0, pendingFragmentsLength = 0, terminated = false;
  }
  return { feed, reset };
}
function isDataPrefix(chunk, i, firstCharCode) {
  return firstCharCode === 100 && chunk.charCodeAt(i + 1) === 97 && chunk.charCodeAt(i + 2) === 116 && chunk.charCodeAt(i + 3) === 97 && chunk.charCodeAt(i + 4) === 58;
}
function isEventPrefix(chunk, i, firstCharCode) {
  return firstCharCode === 101 && chunk.charCodeAt(i + 1) === 118 && chunk.charCodeAt(i + 2) === 101 && chunk.charCodeAt(i + 3) === 110 && chunk.charCodeAt(i + 4) === 116 && chunk.charCodeAt(i + 5) === 58;
}

// src/wire/event-stream.ts
async function* streamedEvents(body, onBytes = () => {
}) {
  const events = [];
  const parser = createParser({ onEvent: ({ id, data }) => void events.push({ id: id ?? null, data }) });
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    onBytes();
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* events.splice(0);
  }
}

// src/client/errors.ts
var BrowserTaskError = class extends Error {
  name = "BrowserTaskError";
  code;
  status;
  /** Names the request in the log of the service. */
  requestId;
  constructor(message, fields, cause) {
    super(message, cause === void 0 ? void 0 : { cause });
    this.code = fields.code;
    this.status = fields.status;
    this.requestId = fields.requestId ?? null;
  }
};
var EventsExpired = class extends BrowserTaskError {
  name = "EventsExpired";
  /** The cursor of the oldest event that is kept. */
  oldest;
  constructor(message, requestId, oldest) {
    super(message, { code: "events_expired", status: 410, requestId });
    this.oldest = oldest;
  }
};
function errorOf(response, body) {
  const { error, code, oldest } = typeof body === "object" && body !== null ? body : {};
  const { status } = response;
  const message = typeof error === "string" ? error : `The service answered ${status}.`;
  const requestId = response.headers.get("x-request-id");
  if (code === "events_expired" && typeof oldest === "number") return new EventsExpired(message, requestId, oldest);
  return new BrowserTaskError(message, { code: typeof code === "string" ? code : `http_${status}`, status, requestId });
}
var strangeAnswer = (base, cause) => new BrowserTaskError(
  `The server at ${base} is not a Browser Task Service, or has an incompatible version.`,
  { code: "answer_invalid", status: 0 },
  cause
);
var connectionFailed = (message, cause) => new BrowserTaskError(message, { code: "connection_failed", status: 0 }, cause);

// src/client/patience.ts
var FIRST_DELAY_MS = 500;
var DELAY_MS_MAX = 8e3;
var RETRY_AFTER_MS_MAX = 12e4;
var RETRY_AFTER_JITTER_MS = 250;
var Patience = class {
  #options;
  #onAway;
  #hasConnected = false;
  #isAway = false;
  #failures = 0;
  #failingSince = 0;
  constructor({ onAway = () => {
  }, ...options }) {
    this.#options = { retryForMs: 0, random: Math.random, now: () => performance.now(), ...options };
    this.#onAway = onAway;
  }
  /** The service has answered, which is not yet progress: it may answer and hang up for ever. */
  connected() {
    this.#hasConnected = true;
    this.#setAway(false);
  }
  /** What was asked for has come: failures before it count no more. */
  progressed() {
    this.connected();
    this.#failures = 0;
  }
  /** The time until the next attempt, in ms; `null`: it is time to give up. `retryAfterMs` is what the service asked for. */
  failed(retryAfterMs = null) {
    const { retriesMax, retryForMs, random, now } = this.#options;
    if (this.#failures === 0) this.#failingSince = now();
    const attempt = this.#failures++;
    const isPersistent = this.#hasConnected && retryForMs > 0;
    if (isPersistent) this.#setAway(true);
    if (isPersistent ? now() - this.#failingSince >= retryForMs : attempt >= retriesMax) return null;
    if (retryAfterMs === null) return random() * Math.min(DELAY_MS_MAX, FIRST_DELAY_MS * 2 ** Math.min(attempt, 10));
    return retryAfterMs > RETRY_AFTER_MS_MAX ? null : retryAfterMs + random() * RETRY_AFTER_JITTER_MS;
  }
  #setAway(isAway) {
    if (this.#isAway !== isAway) this.#onAway(isAway);
    this.#isAway = isAway;
  }
};
function retryAfterMsOf(headers) {
  const value = headers.get("retry-after")?.trim() ?? "";
  if (/^\d+$/.test(value)) return Number(value) * 1e3;
  const at = Date.parse(value);
  if (Number.isNaN(at)) return null;
  const now = Date.parse(headers.get("date") ?? "");
  return Math.max(0, at - (Number.isNaN(now) ? Date.now() : now));
}

// src/client/retry.ts
var ANSWER_MS_MAX = 9e4;
function retrying({
  fetch,
  answerMsMax = ANSWER_MS_MAX,
  isStream = false,
  patience: shared,
  ...options
}) {
  return async (request) => {
    if (request.method === "POST" && !request.headers.has("idempotency-key")) {
      request.headers.set("idempotency-key", crypto.randomUUID());
    }
    const patience = shared ?? new Patience({ retriesMax: 0, ...options });
    for (; ; ) {
      const { response, failure } = await attempted(fetch, request, answerMsMax, isStream);
      if (response !== null && !await isTemporary(response)) return response;
      const delay = patience.failed(response && retryAfterMsOf(response.headers));
      if (delay === null) {
        if (response !== null) return response;
        throw connectionFailed(`No service answers at ${new URL(request.url).origin}.`, failure);
      }
      await response?.body?.cancel();
      await pause(delay, request.signal);
    }
  };
}
async function attempted(fetch, request, answerMsMax, isStream) {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error(`No answer in ${answerMsMax} ms`)), answerMsMax);
  try {
    const signal = AbortSignal.any([request.signal, late.signal]);
    const response = await fetch(new Request(request.clone(), { signal }));
    return { response: isStream ? response : await whole(response), failure: null };
  } catch (failure) {
    request.signal.throwIfAborted();
    return { response: null, failure };
  } finally {
    clearTimeout(timer);
  }
}
async function whole(response) {
  const { status, statusText, headers } = response;
  const bytes = await response.arrayBuffer();
  return new Response(bytes.byteLength === 0 ? null : bytes, { status, statusText, headers });
}
async function isTemporary(response) {
  const { status } = response;
  if (status === 408 || status === 429) return true;
  if (status !== 409 && status < 500) return false;
  const code = await codeOf(response);
  return status === 409 ? code === "idempotency_in_progress" : !code.endsWith("_not_configured");
}
async function codeOf(response) {
  const body = await response.clone().json().catch(() => null);
  return String(body?.code ?? "");
}
function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", abort);
      resolve();
    }, ms);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
}

// src/client/events.ts
var SILENCE_MS_MAX = 45e3;
var STEADY_MS = 1e4;
async function* eventsOf({
  open,
  patience,
  stop,
  refused,
  endsWithTask,
  after,
  silenceMsMax = SILENCE_MS_MAX
}) {
  let cursor = after;
  while (!stop.aborted) {
    const response = await open(cursor, stop).catch((error) => {
      if (!stop.aborted) throw error;
    });
    if (response === void 0 || response.status === 204) return;
    if (!isEventStream(response)) throw await refused(response);
    patience.connected();
    let cause;
    try {
      const openedAt = performance.now();
      const heard = () => performance.now() - openedAt > STEADY_MS && patience.progressed();
      for await (const { id, data } of streamedEvents(chunksOf(response.body, silenceMsMax), heard)) {
        const position = Number(id ?? Number.NaN);
        if (!(position > cursor)) continue;
        const event = { ...JSON.parse(data), cursor: position };
        cursor = position;
        patience.progressed();
        yield event;
        if (event.type === "task.ended" && endsWithTask) return;
      }
    } catch (error) {
      cause = error;
    }
    if (stop.aborted) return;
    const delay = patience.failed();
    if (delay === null) throw connectionFailed("The connection was lost again and again before an event came.", cause);
    await pause(delay, stop).catch(() => {
    });
  }
}
var isEventStream = ({ status, headers }) => status === 200 && /^text\/event-stream\b/i.test(headers.get("content-type") ?? "");
async function* chunksOf(body, silenceMsMax) {
  if (body === null) return;
  const reader = body.getReader();
  const cancel = () => void reader.cancel().catch(() => {
  });
  let timer;
  try {
    for (; ; ) {
      timer = setTimeout(cancel, silenceMsMax);
      const { value, done } = await reader.read();
      clearTimeout(timer);
      if (done) return;
      yield value;
    }
  } finally {
    clearTimeout(timer);
    cancel();
  }
}

// node_modules/openapi-fetch/dist/index.mjs
var PATH_PARAM_RE = /\{[^{}]+\}/g;
var supportsRequestInitExt = () => {
  return typeof process === "object" && Number.parseInt(process?.versions?.node?.substring(0, 2)) >= 18 && process.versions.undici;
};
function randomID() {
  return Math.random().toString(36).slice(2, 11);
}
function createClient(clientOptions) {
  let {
    baseUrl = "",
    Request: CustomRequest = globalThis.Request,
    fetch: baseFetch = globalThis.fetch,
    querySerializer: globalQuerySerializer,
    bodySerializer: globalBodySerializer,
    pathSerializer: globalPathSerializer,
    headers: baseHeaders,
    requestInitExt = void 0,
    ...baseOptions
  } = { ...clientOptions };
  requestInitExt = supportsRequestInitExt() ? requestInitExt : void 0;
  baseUrl = removeTrailingSlash(baseUrl);
  const globalMiddlewares = [];
  async function coreFetch(schemaPath, fetchOptions) {
    const {
      baseUrl: localBaseUrl,
      fetch = baseFetch,
      Request: Request2 = CustomRequest,
      headers,
      params = {},
      parseAs = "json",
      querySerializer: requestQuerySerializer,
      bodySerializer = globalBodySerializer ?? defaultBodySerializer,
      pathSerializer: requestPathSerializer,
      body,
      middleware: requestMiddlewares = [],
      ...init
    } = fetchOptions || {};
    let finalBaseUrl = baseUrl;
    if (localBaseUrl) {
      finalBaseUrl = removeTrailingSlash(localBaseUrl) ?? baseUrl;
    }
    let querySerializer = typeof globalQuerySerializer === "function" ? globalQuerySerializer : createQuerySerializer(globalQuerySerializer);
    if (requestQuerySerializer) {
      querySerializer = typeof requestQuerySerializer === "function" ? requestQuerySerializer : createQuerySerializer({
        ...typeof globalQuerySerializer === "object" ? globalQuerySerializer : {},
        ...requestQuerySerializer
      });
    }
    const pathSerializer = requestPathSerializer || globalPathSerializer || defaultPathSerializer;
    const serializedBody = body === void 0 ? void 0 : bodySerializer(
      body,
      // Note: we declare mergeHeaders() both here and below because it’s a bit of a chicken-or-egg situation:
      // bodySerializer() needs all headers so we aren’t dropping ones set by the user, however,
      // the result of this ALSO sets the lowest-priority content-type header. So we re-merge below,
      // setting the content-type at the very beginning to be overwritten.
      // Lastly, based on the way headers work, it’s not a simple “present-or-not” check becauase null intentionally un-sets headers.
      mergeHeaders(baseHeaders, headers, params.header)
    );
    const finalHeaders = mergeHeaders(
      // with no body, we should not to set Content-Type
      serializedBody === void 0 || // if serialized body is FormData; browser will correctly set Content-Type & boundary expression
      serializedBody instanceof FormData ? {} : {
        "Content-Type": "application/json"
      },
      baseHeaders,
      headers,
      params.header
    );
    const finalMiddlewares = [...globalMiddlewares, ...requestMiddlewares];
    const requestInit = {
      redirect: "follow",
      ...baseOptions,
      ...init,
      body: serializedBody,
      headers: finalHeaders
    };
    let id;
    let options;
    let request = new Request2(
      createFinalURL(schemaPath, { baseUrl: finalBaseUrl, params, querySerializer, pathSerializer }),
      requestInit
    );
    let response;
    for (const key in init) {
      if (!(key in request)) {
        request[key] = init[key];
      }
    }
    if (finalMiddlewares.length) {
      id = randomID();
      options = Object.freeze({
        baseUrl: finalBaseUrl,
        fetch,
        parseAs,
        querySerializer,
        bodySerializer,
        pathSerializer
      });
      for (const m of finalMiddlewares) {
        if (m && typeof m === "object" && typeof m.onRequest === "function") {
          const result = await m.onRequest({
            request,
            schemaPath,
            params,
            options,
            id
          });
          if (result) {
            if (result instanceof Request2) {
              request = result;
            } else if (result instanceof Response) {
              response = result;
              break;
            } else {
              throw new Error("onRequest: must return new Request() or Response() when modifying the request");
            }
          }
        }
      }
    }
    if (!response) {
      try {
        response = await fetch(request, requestInitExt);
      } catch (error2) {
        let errorAfterMiddleware = error2;
        if (finalMiddlewares.length) {
          for (let i = finalMiddlewares.length - 1; i >= 0; i--) {
            const m = finalMiddlewares[i];
            if (m && typeof m === "object" && typeof m.onError === "function") {
              const result = await m.onError({
                request,
                error: errorAfterMiddleware,
                schemaPath,
                params,
                options,
                id
              });
              if (result) {
                if (result instanceof Response) {
                  errorAfterMiddleware = void 0;
                  response = result;
                  break;
                }
                if (result instanceof Error) {
                  errorAfterMiddleware = result;
                  continue;
                }
                throw new Error("onError: must return new Response() or instance of Error");
              }
            }
          }
        }
        if (errorAfterMiddleware) {
          throw errorAfterMiddleware;
        }
      }
      if (finalMiddlewares.length) {
        for (let i = finalMiddlewares.length - 1; i >= 0; i--) {
          const m = finalMiddlewares[i];
          if (m && typeof m === "object" && typeof m.onResponse === "function") {
            const result = await m.onResponse({
              request,
              response,
              schemaPath,
              params,
              options,
              id
            });
            if (result) {
              if (!(result instanceof Response)) {
                throw new Error("onResponse: must return new Response() when modifying the response");
              }
              response = result;
            }
          }
        }
      }
    }
    const contentLength = response.headers.get("Content-Length");
    if (response.status === 204 || request.method === "HEAD" || contentLength === "0" && !response.headers.get("Transfer-Encoding")?.includes("chunked")) {
      return response.ok ? { data: void 0, response } : { error: void 0, response };
    }
    if (response.ok) {
      const getResponseData = async () => {
        if (parseAs === "stream") {
          return response.body;
        }
        if (parseAs === "json" && !contentLength) {
          const raw = await response.text();
          return raw ? JSON.parse(raw) : void 0;
        }
        return await response[parseAs]();
      };
      return { data: await getResponseData(), response };
    }
    let error = await response.text();
    try {
      error = JSON.parse(error);
    } catch {
    }
    return { error, response };
  }
  return {
    request(method, url, init) {
      return coreFetch(url, { ...init, method: method.toUpperCase() });
    },
    /** Call a GET endpoint */
    GET(url, init) {
      return coreFetch(url, { ...init, method: "GET" });
    },
    /** Call a PUT endpoint */
    PUT(url, init) {
      return coreFetch(url, { ...init, method: "PUT" });
    },
    /** Call a POST endpoint */
    POST(url, init) {
      return coreFetch(url, { ...init, method: "POST" });
    },
    /** Call a DELETE endpoint */
    DELETE(url, init) {
      return coreFetch(url, { ...init, method: "DELETE" });
    },
    /** Call a OPTIONS endpoint */
    OPTIONS(url, init) {
      return coreFetch(url, { ...init, method: "OPTIONS" });
    },
    /** Call a HEAD endpoint */
    HEAD(url, init) {
      return coreFetch(url, { ...init, method: "HEAD" });
    },
    /** Call a PATCH endpoint */
    PATCH(url, init) {
      return coreFetch(url, { ...init, method: "PATCH" });
    },
    /** Call a TRACE endpoint */
    TRACE(url, init) {
      return coreFetch(url, { ...init, method: "TRACE" });
    },
    /** Register middleware */
    use(...middleware) {
      for (const m of middleware) {
        if (!m) {
          continue;
        }
        if (typeof m !== "object" || !("onRequest" in m || "onResponse" in m || "onError" in m)) {
          throw new Error("Middleware must be an object with one of `onRequest()`, `onResponse() or `onError()`");
        }
        globalMiddlewares.push(m);
      }
    },
    /** Unregister middleware */
    eject(...middleware) {
      for (const m of middleware) {
        const i = globalMiddlewares.indexOf(m);
        if (i !== -1) {
          globalMiddlewares.splice(i, 1);
        }
      }
    }
  };
}
function serializePrimitiveParam(name, value, options) {
  if (value === void 0 || value === null) {
    return "";
  }
  if (typeof value === "object") {
    throw new Error(
      "Deeply-nested arrays/objects aren\u2019t supported. Provide your own `querySerializer()` to handle these."
    );
  }
  return `${name}=${options?.allowReserved === true ? value : encodeURIComponent(value)}`;
}
function serializeObjectParam(name, value, options) {
  if (!value || typeof value !== "object") {
    return "";
  }
  const values = [];
  const joiner = {
    simple: ",",
    label: ".",
    matrix: ";"
  }[options.style] || "&";
  if (options.style !== "deepObject" && options.explode === false) {
    for (const k in value) {
      values.push(k, options.allowReserved === true ? value[k] : encodeURIComponent(value[k]));
    }
    const final2 = values.join(",");
    switch (options.style) {
      case "form": {
        return `${name}=${final2}`;
      }
      case "label": {
        return `.${final2}`;
      }
      case "matrix": {
        return `;${name}=${final2}`;
      }
      default: {
        return final2;
      }
    }
  }
  for (const k in value) {
    const finalName = options.style === "deepObject" ? `${name}[${k}]` : k;
    values.push(serializePrimitiveParam(finalName, value[k], options));
  }
  const final = values.join(joiner);
  return options.style === "label" || options.style === "matrix" ? `${joiner}${final}` : final;
}
function serializeArrayParam(name, value, options) {
  if (!Array.isArray(value)) {
    return "";
  }
  if (options.explode === false) {
    const joiner2 = { form: ",", spaceDelimited: "%20", pipeDelimited: "|" }[options.style] || ",";
    const final = (options.allowReserved === true ? value : value.map((v) => encodeURIComponent(v))).join(joiner2);
    switch (options.style) {
      case "simple": {
        return final;
      }
      case "label": {
        return `.${final}`;
      }
      case "matrix": {
        return `;${name}=${final}`;
      }
      // case "spaceDelimited":
      // case "pipeDelimited":
      default: {
        return `${name}=${final}`;
      }
    }
  }
  const joiner = { simple: ",", label: ".", matrix: ";" }[options.style] || "&";
  const values = [];
  for (const v of value) {
    if (options.style === "simple" || options.style === "label") {
      values.push(options.allowReserved === true ? v : encodeURIComponent(v));
    } else {
      values.push(serializePrimitiveParam(name, v, options));
    }
  }
  return options.style === "label" || options.style === "matrix" ? `${joiner}${values.join(joiner)}` : values.join(joiner);
}
function createQuerySerializer(options) {
  return function querySerializer(queryParams) {
    const search = [];
    if (queryParams && typeof queryParams === "object") {
      for (const name in queryParams) {
        const value = queryParams[name];
        if (value === void 0 || value === null) {
          continue;
        }
        if (Array.isArray(value)) {
          if (value.length === 0) {
            continue;
          }
          search.push(
            serializeArrayParam(name, value, {
              style: "form",
              explode: true,
              ...options?.array,
              allowReserved: options?.allowReserved || false
            })
          );
          continue;
        }
        if (typeof value === "object") {
          search.push(
            serializeObjectParam(name, value, {
              style: "deepObject",
              explode: true,
              ...options?.object,
              allowReserved: options?.allowReserved || false
            })
          );
          continue;
        }
        search.push(serializePrimitiveParam(name, value, options));
      }
    }
    return search.join("&");
  };
}
function defaultPathSerializer(pathname, pathParams) {
  let nextURL = pathname;
  for (const match of pathname.match(PATH_PARAM_RE) ?? []) {
    let name = match.substring(1, match.length - 1);
    let explode = false;
    let style = "simple";
    if (name.endsWith("*")) {
      explode = true;
      name = name.substring(0, name.length - 1);
    }
    if (name.startsWith(".")) {
      style = "label";
      name = name.substring(1);
    } else if (name.startsWith(";")) {
      style = "matrix";
      name = name.substring(1);
    }
    if (!pathParams || pathParams[name] === void 0 || pathParams[name] === null) {
      continue;
    }
    const value = pathParams[name];
    if (Array.isArray(value)) {
      nextURL = nextURL.replace(match, serializeArrayParam(name, value, { style, explode }));
      continue;
    }
    if (typeof value === "object") {
      nextURL = nextURL.replace(match, serializeObjectParam(name, value, { style, explode }));
      continue;
    }
    if (style === "matrix") {
      nextURL = nextURL.replace(match, `;${serializePrimitiveParam(name, value)}`);
      continue;
    }
    nextURL = nextURL.replace(match, style === "label" ? `.${encodeURIComponent(value)}` : encodeURIComponent(value));
  }
  return nextURL;
}
function defaultBodySerializer(body, headers) {
  if (body instanceof FormData) {
    return body;
  }
  if (headers) {
    const contentType = headers.get instanceof Function ? headers.get("Content-Type") ?? headers.get("content-type") : headers["Content-Type"] ?? headers["content-type"];
    if (contentType === "application/x-www-form-urlencoded") {
      return new URLSearchParams(body).toString();
    }
  }
  return JSON.stringify(body);
}
function createFinalURL(pathname, options) {
  let finalURL = `${options.baseUrl}${pathname}`;
  if (options.params?.path) {
    finalURL = options.pathSerializer(finalURL, options.params.path);
  }
  let search = options.querySerializer(options.params.query ?? {});
  if (search.startsWith("?")) {
    search = search.substring(1);
  }
  if (search) {
    finalURL += `?${search}`;
  }
  return finalURL;
}
function mergeHeaders(...allHeaders) {
  const finalHeaders = new Headers();
  for (const h of allHeaders) {
    if (!h || typeof h !== "object") {
      continue;
    }
    const iterator = h instanceof Headers ? h.entries() : Object.entries(h);
    for (const [k, v] of iterator) {
      if (v === null) {
        finalHeaders.delete(k);
      } else if (Array.isArray(v)) {
        for (const v2 of v) {
          finalHeaders.append(k, v2);
        }
      } else if (v !== void 0) {
        finalHeaders.set(k, v);
      }
    }
  }
  return finalHeaders;
}
function removeTrailingSlash(url) {
  if (url.endsWith("/")) {
    return url.substring(0, url.length - 1);
  }
  return url;
}

// src/client/http.ts
var RETRIES_MAX = 4;
var RETRY_FOR_MS = 5 * 6e4;
function createHttp({
  baseUrl,
  key,
  maxRetries: retriesMax = RETRIES_MAX,
  retryForMs = RETRY_FOR_MS,
  fetch: given
}) {
  if (!/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new BrowserTaskError(`${baseUrl} is not a valid service address.`, { code: "base_url_invalid", status: 0 });
  }
  const base = baseUrl.replace(/\/+$/, "");
  const fetch = given ?? ((request) => globalThis.fetch(request));
  const retried = retrying({ fetch, retriesMax });
  const headers = key === void 0 ? {} : { authorization: `Bearer ${key}` };
  return {
    api: createClient({ baseUrl: base, fetch: retried, headers }),
    async result(answer) {
      const { data, error, response } = await answer.catch((reason) => {
        throw reason instanceof SyntaxError ? strangeAnswer(base, reason) : reason;
      });
      if (!response.ok) throw errorOf(response, error);
      return data;
    },
    refusal: async (response) => response.ok ? strangeAnswer(base) : errorOf(response, await response.json().catch(() => null)),
    send: (path, init = void 0) => retried(new Request(base + path, { ...init, headers })),
    patience: (options = {}) => new Patience({ retriesMax, retryForMs, ...options }),
    fetchWith: (patience) => retrying({ fetch, patience }),
    open: (path, signal, patience) => retrying({ fetch, patience, isStream: true })(
      new Request(base + path, { headers: { ...headers, accept: "text/event-stream" }, signal })
    )
  };
}
async function jsonOf(response) {
  const body = await response.json().catch(() => null);
  if (!response.ok) throw errorOf(response, body);
  return body;
}

// src/client/inputs.ts
var Inputs = class {
  #onInput;
  #send;
  #failed = new AbortController();
  #over = new AbortController();
  #last = null;
  constructor(onInput, send) {
    this.#onInput = onInput;
    this.#send = send;
  }
  /** Aborts with what the caller's function or its answer failed with. */
  get failed() {
    return this.#failed.signal;
  }
  /** Asks, beside what else goes on. */
  put(request) {
    if (request.id === this.#last) return;
    this.#last = request.id;
    this.#answer(request).catch((error) => this.#failed.abort(error));
  }
  end() {
    this.#over.abort();
  }
  async #answer(request) {
    const answer = await this.#onInput(request, { signal: this.#over.signal });
    if (!answer || this.#over.signal.aborted) return;
    await this.#send(request, answer).catch((error) => {
      if (!isTooLate(error)) throw error;
    });
  }
};
var isTooLate = (error) => error instanceof BrowserTaskError && (error.status === 404 || error.status === 409);

// src/client/waiting.ts
var WAIT_S = 30;
var AT_ONCE_MS = 1e3;
var ASK_AGAIN_MS = 500;
var ASK_AGAIN_MS_MAX = 8e3;
function waitForTask(http, tasks, id, options) {
  return answering(tasks, id, options, async (needsAnswer, signal) => {
    const patience = http.patience();
    const fetch = http.fetchWith(patience);
    let sooner = 0;
    for (let since; ; ) {
      const askedAt = performance.now();
      const params = { path: { id }, query: { wait_s: WAIT_S, ...since === void 0 ? {} : { since } } };
      const task = await http.result(http.api.GET("/v1/tasks/{id}", { params, signal, fetch }));
      if (task.status !== "running" || needsAnswer(task)) return task;
      patience.progressed();
      since = task.seq;
      sooner = performance.now() - askedAt < AT_ONCE_MS ? sooner + 1 : 0;
      if (sooner > 0) await pause(Math.min(ASK_AGAIN_MS * 2 ** (sooner - 1), ASK_AGAIN_MS_MAX), signal);
    }
  });
}
function followTask(tasks, id, onEvent, options) {
  return answering(tasks, id, options, async (needsAnswer, signal) => {
    for await (const event of tasks.events(id, { signal })) {
      await onEvent(event);
      if (event.type !== "input.requested") continue;
      const task = await tasks.get(id, { signal });
      if (needsAnswer(task)) return task;
    }
    signal.throwIfAborted();
    return tasks.get(id, { signal });
  });
}
async function answering(tasks, id, { signal, onInput }, follow) {
  const inputs = onInput && new Inputs(onInput, (request, answer) => tasks.answer(id, request.id, answer));
  const needsAnswer = ({ state, input_request: request }) => {
    if (state !== "waitingForInput") return false;
    if (request) inputs?.put(request);
    return inputs === void 0;
  };
  try {
    return await follow(needsAnswer, AbortSignal.any([signal, inputs?.failed].filter((given) => given !== void 0)));
  } finally {
    inputs?.end();
  }
}

// src/client/tasks.ts
var Tasks = class {
  #http;
  constructor(http) {
    this.#http = http;
  }
  /**
   * Starts a task and gives it once it has ended, or needs an answer that `onInput` does not give: then its `state` is
   * `waitingForInput`, and `input_request` says what it asks. `signal` cancels the task.
   */
  async run(params, { onEvent, onInput, signal, ...start } = {}) {
    signal?.throwIfAborted();
    const { id } = await this.create(params, start);
    const options = { ...optional(signal), ...onInput === void 0 ? {} : { onInput } };
    try {
      signal?.throwIfAborted();
      return await (onEvent === void 0 ? this.wait(id, options) : followTask(this, id, onEvent, options));
    } catch (error) {
      if (signal?.aborted) await this.cancel(id).catch(() => {
      });
      throw error;
    }
  }
  /** Starts a task and gives it at once: it runs in the background. */
  create(params, options = {}) {
    const { signal } = options;
    return this.#http.result(
      this.#http.api.POST("/v1/tasks", {
        body: params,
        params: { header: headersOf(options) },
        ...optional(signal)
      })
    );
  }
  /** Starts the same request again; `changes` replace its fields. */
  rerun(id, changes = {}, options = {}) {
    const { signal } = options;
    return this.#http.result(
      this.#http.api.POST("/v1/tasks/{id}/rerun", {
        body: changes,
        params: { path: { id }, header: headersOf(options) },
        ...optional(signal)
      })
    );
  }
  get(id, { signal } = {}) {
    return this.#http.result(this.#http.api.GET("/v1/tasks/{id}", { params: { path: { id } }, ...optional(signal) }));
  }
  /**
   * The task once it has ended, however long that takes, or needs an answer that `onInput` does not give (see `run`).
   * `signal` ends the waiting, and not the task.
   */
  wait(id, options = {}) {
    return waitForTask(this.#http, this, id, options);
  }
  /** What happens in a task, each event once and in order, until it has ended; over lost connections. */
  events(id, { signal, after = 0, onAway } = {}) {
    const patience = this.#http.patience({ onAway });
    return eventsOf({
      after,
      patience,
      stop: signal ?? new AbortController().signal,
      endsWithTask: true,
      open: (from, stop) => this.#http.open(`${pathOf(id)}/events?after=${from}`, stop, patience),
      refused: this.#http.refusal
    });
  }
  /** Every task that fulfils the conditions, newest first; pages are read as they are needed. */
  async *list(query = {}, { signal } = {}) {
    for (let cursor = query.cursor; ; ) {
      const params = { query: { ...query, ...cursor === void 0 ? {} : { cursor } } };
      const page = await this.#http.result(this.#http.api.GET("/v1/tasks", { params, ...optional(signal) }));
      yield* page.tasks;
      if (page.next_cursor === null) return;
      cursor = page.next_cursor;
    }
  }
  /** Every step, in order. */
  async *steps(id, { signal } = {}) {
    for (let cursor; ; ) {
      const params = { path: { id }, query: { limit: 200, ...cursor === void 0 ? {} : { cursor } } };
      const page = await this.#http.result(this.#http.api.GET("/v1/tasks/{id}/steps", { params, ...optional(signal) }));
      yield* page.steps;
      if (page.next_cursor === null) return;
      cursor = page.next_cursor;
    }
  }
  /** Ends a running task; the task once it has ended. */
  cancel(id, { signal } = {}) {
    return this.#http.result(
      this.#http.api.POST("/v1/tasks/{id}/cancel", { params: { path: { id } }, body: {}, ...optional(signal) })
    );
  }
  /** Removes a task that has ended. */
  async delete(id) {
    await this.#http.result(this.#http.api.DELETE("/v1/tasks/{id}", { params: { path: { id } } }));
  }
  /** Says something to a running task: the model reads it before its next step, or at once (`interrupt`). */
  async message(id, text, { interrupt = false } = {}) {
    const params = { path: { id } };
    await this.#http.result(this.#http.api.POST("/v1/tasks/{id}/messages", { params, body: { text, interrupt } }));
  }
  /** Answers what a task asks its user: its `input_request`. */
  async answer(id, requestId, answer) {
    const params = { path: { id, request_id: requestId } };
    const body = answer;
    await this.#http.result(this.#http.api.POST("/v1/tasks/{id}/inputs/{request_id}", { params, body }));
  }
  /** Keeps a task from making calls until it is resumed. */
  pause(id) {
    return this.#http.result(this.#http.api.POST("/v1/tasks/{id}/pause", { params: { path: { id } }, body: {} }));
  }
  resume(id) {
    return this.#http.result(this.#http.api.POST("/v1/tasks/{id}/resume", { params: { path: { id } }, body: {} }));
  }
  /** The screenshot of a step, a JPEG; `null` when there is none. */
  screenshot(id, step) {
    return this.#bytes(`${pathOf(id)}/screenshots/${step}`);
  }
  async #bytes(path) {
    const response = await this.#http.send(path);
    if (response.status === 404) return null;
    if (!response.ok) throw await this.#http.refusal(response);
    return response.blob();
  }
  /** The files that the task was given, and those that it downloaded, oldest first. */
  async *files(id, { signal } = {}) {
    for (let cursor; ; ) {
      const params = { path: { id }, query: cursor === void 0 ? {} : { cursor } };
      const page = await this.#http.result(this.#http.api.GET("/v1/tasks/{id}/files", { params, ...optional(signal) }));
      yield* page.files;
      if (page.next_cursor === null) return;
      cursor = page.next_cursor;
    }
  }
  /** The bytes of a file of the task; `null` when there is none. */
  file(id, fileId) {
    return this.#bytes(`${pathOf(id)}/files/${encodeURIComponent(fileId)}`);
  }
};
var pathOf = (id) => `/v1/tasks/${encodeURIComponent(id)}`;
var headersOf = ({ idempotencyKey, traceparent }) => ({
  ...idempotencyKey === void 0 ? {} : { "Idempotency-Key": idempotencyKey },
  ...traceparent === void 0 ? {} : { traceparent }
});
var optional = (signal) => signal === void 0 ? {} : { signal };

// src/client/webhooks.ts
var TOLERANCE_S = 300;
var PREFIX = "whsec_";
async function unwrap(body, headers, secret, now = Date.now()) {
  const keyBytes = bytesOf(String(secret ?? "").replace(PREFIX, ""));
  if (keyBytes.length === 0) throw noSecret();
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map(
    (name) => headerOf(headers, name)
  );
  if (!id || !timestamp || !signatures) throw invalid("The webhook headers are missing.");
  if (!(Math.abs(now / 1e3 - Number(timestamp)) <= TOLERANCE_S)) throw invalid("The webhook is too old or too new.");
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  const key = await crypto.subtle.importKey("raw", keyBytes, ALGORITHM, false, ["verify"]);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  for (const signature of signatures.split(" ")) {
    const [version, value = ""] = signature.split(",");
    if (version !== "v1") continue;
    const bytes = bytesOf(value);
    if (await crypto.subtle.verify("HMAC", key, bytes, signed)) return JSON.parse(text);
  }
  throw invalid("The signature of the webhook is wrong.");
}
var ALGORITHM = { name: "HMAC", hash: "SHA-256" };
var invalid = (message) => new BrowserTaskError(message, { code: "webhook_invalid", status: 0 });
var noSecret = () => new BrowserTaskError(
  "Pass the secret of the webhook endpoint: whsec_ and base64, as it was shown when it was made.",
  {
    code: "webhook_secret_invalid",
    status: 0
  }
);
function headerOf(headers, name) {
  if (headers instanceof Headers) return headers.get(name);
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof found === "string" ? found : found?.[0] ?? null;
}
function bytesOf(base64) {
  try {
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  } catch {
    return new Uint8Array(0);
  }
}

// src/client/index.ts
var LOOK_AGAIN_MS = 500;
var BrowserTasks = class {
  tasks;
  browsers;
  keys;
  usage;
  files;
  webhooks = { unwrap };
  #http;
  constructor(options) {
    const http = createHttp(options);
    this.#http = http;
    this.tasks = new Tasks(http);
    this.browsers = new Browsers(http);
    this.keys = new Keys(http);
    this.usage = new Usage(http);
    this.files = new Files(http);
  }
  /**
   * What happens in all tasks of the workspace, from now on or behind a cursor, each event once and in order, over lost
   * connections, until `signal` aborts. Throws `EventsExpired` when events behind the cursor are not kept any more.
   */
  async *events({ types, after, signal, onAway } = {}) {
    const patience = this.#http.patience({ onAway });
    const filter = types === void 0 ? "" : `&types=${types.join(",")}`;
    yield* eventsOf({
      // A number from the beginning: a connection that is lost before its first event goes on behind it.
      after: after ?? await this.#now(signal),
      patience,
      stop: signal ?? new AbortController().signal,
      endsWithTask: false,
      open: (from, stop) => this.#http.open(`/v1/events?after=${from}${filter}`, stop, patience),
      refused: this.#http.refusal
    });
  }
  async #now(signal) {
    const params = { query: { after: "now", limit: 1 } };
    const page = this.#http.api.GET("/v1/events", { params, ...signal === void 0 ? {} : { signal } });
    return (await this.#http.result(page)).next_cursor;
  }
};
var Browsers = class {
  #http;
  constructor(http) {
    this.#http = http;
  }
  /** A link by which a person pairs a browser: valid for one browser and five minutes. */
  pair(params = {}) {
    return this.#http.result(this.#http.api.POST("/v1/browser-sessions/pair", { body: params }));
  }
  /** Every paired browser, or those with this status, newest first. */
  async *list(query = {}) {
    for (let cursor; ; ) {
      const params = { query: { ...query, ...cursor === void 0 ? {} : { cursor } } };
      const page = await this.#http.result(this.#http.api.GET("/v1/browser-sessions", { params }));
      yield* page.sessions;
      if (page.next_cursor === null) return;
      cursor = page.next_cursor;
    }
  }
  /** Of the browsers that are connected the one that connected last; `null` when none is. */
  async newest() {
    let newest = null;
    for await (const browser of this.list({ status: "connected" })) {
      if (browser.status !== "connected") continue;
      if (newest === null || (browser.connected_at ?? 0) > (newest.connected_at ?? 0)) newest = browser;
    }
    return newest;
  }
  /** The same, waited for if need be. */
  async connected({ signal } = {}) {
    for (; ; ) {
      const browser = await this.newest();
      if (browser !== null) return browser;
      await pause(LOOK_AGAIN_MS, signal ?? new AbortController().signal);
    }
  }
  /** Ends a pairing. */
  async remove(id) {
    await this.#http.result(this.#http.api.DELETE("/v1/browser-sessions/{id}", { params: { path: { id } } }));
  }
};
var Keys = class {
  #http;
  constructor(http) {
    this.#http = http;
  }
  /** Makes a key, whose text is in this answer and nowhere else. */
  create(params) {
    return this.#http.result(this.#http.api.POST("/v1/api-keys", { body: params }));
  }
  async list() {
    return (await this.#http.result(this.#http.api.GET("/v1/api-keys"))).api_keys;
  }
  async delete(id) {
    await this.#http.result(this.#http.api.DELETE("/v1/api-keys/{id}", { params: { path: { id } } }));
  }
};
var Files = class {
  #http;
  constructor(http) {
    this.#http = http;
  }
  /** Keeps a file of up to 25 MB for 24 hours, or as long as a task that names it by `file_id`. */
  async upload(name, content) {
    const body = content instanceof Blob ? content : new Blob([content]);
    const type = body.type === "" ? "" : `&media_type=${encodeURIComponent(body.type)}`;
    return jsonOf(await this.#http.send(`/v1/files?name=${encodeURIComponent(name)}${type}`, { method: "POST", body }));
  }
};
var Usage = class {
  #http;
  constructor(http) {
    this.#http = http;
  }
  /** Tokens, model calls, cost and tasks, from `since` (ms) on. */
  get({ since } = {}) {
    const params = { query: since === void 0 ? {} : { since } };
    return this.#http.result(this.#http.api.GET("/v1/usage", { params }));
  }
  credits() {
    return this.#http.result(this.#http.api.GET("/v1/billing/credits"));
  }
};
export {
  BrowserTaskError,
  BrowserTasks,
  EventsExpired
};
