/** How long to go on trying. */
export interface PatienceOptions {
    /** Further attempts while the service has never answered. */
    readonly retriesMax: number;
    /** Once it has: for how long without progress, in ms; 0 when only `retriesMax` counts. */
    readonly retryForMs?: number;
    /** Called with true when the connection is lost, with false when it is back. */
    readonly onAway?: ((isAway: boolean) => void) | undefined;
    /** Between 0 and 1; for tests. */
    readonly random?: () => number;
    readonly now?: () => number;
}
/**
 * The one answer to "try again, and when?", for requests, waiting and streams. It is `new` until the service has
 * answered, then `connected`, and `away` from a failure to the next progress. `new` ends after `retriesMax` failures in a
 * row, `away` when `retryForMs` have passed since the first one.
 */
export declare class Patience {
    #private;
    constructor({ onAway, ...options }: PatienceOptions);
    /** The service has answered, which is not yet progress: it may answer and hang up for ever. */
    connected(): void;
    /** What was asked for has come: failures before it count no more. */
    progressed(): void;
    /** The time until the next attempt, in ms; `null`: it is time to give up. `retryAfterMs` is what the service asked for. */
    failed(retryAfterMs?: number | null): number | null;
}
/** `Retry-After` in ms from now on, which may be seconds or a date; `null` without one. */
export declare function retryAfterMsOf(headers: Headers): number | null;
