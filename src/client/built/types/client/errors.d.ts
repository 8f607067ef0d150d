/**
 * Whatever went wrong with a request. `code` is the stable name that the API gives it (`session_not_connected`), or
 * `connection_failed` when no answer came; `status` is then 0.
 */
export declare class BrowserTaskError extends Error {
    readonly name = "BrowserTaskError";
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
/** The error for a failed response, whose body may have been read already. */
export declare function errorOf(response: Response, body: unknown): BrowserTaskError;
