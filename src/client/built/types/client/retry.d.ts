export type Fetch = (request: Request) => Promise<Response>;
export interface RetryOptions {
    readonly fetch: Fetch;
    /** Further attempts. */
    readonly retriesMax: number;
    /** An answer that takes longer counts as a lost connection. */
    readonly answerMsMax?: number;
    /** Between 0 and 1; for tests. */
    readonly random?: () => number;
}
/**
 * [Y2] Sends a request again after 408, 429, 5xx, an Idempotency-Key that is in progress, and lost connections: after
 * `Retry-After`, else after a random time that doubles at most. Every POST has an Idempotency-Key of its own, so that
 * what was done is not done twice.
 */
export declare function retrying({ fetch, retriesMax, answerMsMax, random }: RetryOptions): Fetch;
/** Rejects when the signal aborts. */
export declare function pause(ms: number, signal: AbortSignal): Promise<void>;
