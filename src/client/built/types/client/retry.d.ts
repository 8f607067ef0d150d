import { Patience, type PatienceOptions } from './patience.ts';
export type Fetch = (request: Request) => Promise<Response>;
export interface RetryOptions extends Partial<PatienceOptions> {
    readonly fetch: Fetch;
    /** An answer that takes longer counts as a lost connection. */
    readonly answerMsMax?: number;
    /** The body is read by the caller, for as long as it goes on. */
    readonly isStream?: boolean;
    /** Shared with what goes on after the answer, such as reading a stream; else each request has its own. */
    readonly patience?: Patience;
}
/**
 * [Y2] Sends a request again after 408, 429, 5xx, an Idempotency-Key that is in progress, and lost connections: after
 * `Retry-After`, else after a random time that doubles at most. Every POST has an Idempotency-Key of its own, so that
 * what was done is not done twice.
 */
export declare function retrying({ fetch, answerMsMax, isStream, patience: shared, ...options }: RetryOptions): Fetch;
/** Rejects when the signal aborts. */
export declare function pause(ms: number, signal: AbortSignal): Promise<void>;
