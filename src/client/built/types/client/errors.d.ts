/**
 * Whatever went wrong with a request. `code` is the stable name that the API gives it (`session_not_connected`), or
 * `connection_failed` when no answer came; `status` is then 0.
 */
export declare class BrowserTaskError extends Error {
    readonly name: string;
    readonly code: string;
    readonly status: number;
    /** Names the request in the log of the service. */
    readonly requestId: string | null;
    constructor(message: string, fields: {
        readonly code: string;
        readonly status: number;
        readonly requestId?: string | null;
    }, cause?: unknown);
}
/** Events behind the cursor are not kept any more. Reading can go on with `after: oldest - 1`, which leaves them out. */
export declare class EventsExpired extends BrowserTaskError {
    readonly name = "EventsExpired";
    /** The cursor of the oldest event that is kept. */
    readonly oldest: number;
    constructor(message: string, requestId: string | null, oldest: number);
}
/** The error for a failed response, whose body may have been read already. */
export declare function errorOf(response: Response, body: unknown): BrowserTaskError;
/** The error for an answer that cannot be the service's. */
export declare const strangeAnswer: (base: string, cause?: unknown) => BrowserTaskError;
/** The error where no answer came. */
export declare const connectionFailed: (message: string, cause: unknown) => BrowserTaskError;
