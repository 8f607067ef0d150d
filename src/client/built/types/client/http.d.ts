import { type Client } from 'openapi-fetch';
import type { paths } from './api.ts';
import { BrowserTaskError } from './errors.ts';
import { Patience, type PatienceOptions } from './patience.ts';
import { type Fetch } from './retry.ts';
export interface HttpOptions {
    /** Where the service is, such as `https://svc.example.com`. */
    readonly baseUrl: string;
    /** A key of the workspace; without one the cookie of a signed-in user counts. */
    readonly key?: string;
    /** Further attempts after a failure that may pass; 4 when it is left out. */
    readonly maxRetries?: number;
    /**
     * For how long `run`, `wait` and `events` try to reach a service again that has answered before, in ms; 5 minutes when
     * it is left out.
     */
    readonly retryForMs?: number;
    /** In place of the global `fetch`. */
    readonly fetch?: Fetch;
}
/** An answer as openapi-fetch gives it. */
interface Answered<Data> {
    readonly data?: Data;
    readonly error?: unknown;
    readonly response: Response;
}
/** The requests of one client: typed by the OpenAPI document, retried, with one kind of error. */
export interface Http {
    readonly api: Client<paths>;
    /** What was answered; throws a `BrowserTaskError` for a refusal. */
    result<Data>(answer: Promise<Answered<Data>>): Promise<Data>;
    /** A request by its path, as it is; the caller reads the answer. */
    send(path: string, init?: {
        readonly method: string;
        readonly body: Blob;
    }): Promise<Response>;
    /** What a response is thrown as that is not what was asked for. */
    refusal(response: Response): Promise<BrowserTaskError>;
    /** For what goes on over many requests. */
    patience(options?: Pick<PatienceOptions, 'onAway'>): Patience;
    /** Sends with this patience. */
    fetchWith(patience: Patience): Fetch;
    /** Opens a stream with this patience. */
    open(path: string, signal: AbortSignal, patience: Patience): Promise<Response>;
}
export declare function createHttp({ baseUrl, key, maxRetries: retriesMax, retryForMs, fetch: given, }: HttpOptions): Http;
/** JSON of an answer; throws a `BrowserTaskError` for a refusal. */
export declare function jsonOf<Data>(response: Response): Promise<Data>;
export {};
