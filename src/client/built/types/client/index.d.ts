import type { components } from './api.ts';
import { type Http, type HttpOptions } from './http.ts';
import { type EventsOptions, type StreamedEvent, Tasks } from './tasks.ts';
import { unwrap } from './webhooks.ts';
export { BrowserTaskError, EventsExpired } from './errors.ts';
export type { HttpOptions as BrowserTasksOptions } from './http.ts';
export type * from './tasks.ts';
type Schemas = components['schemas'];
export type BrowserSession = Schemas['BrowserSession'];
export type Pairing = Schemas['Pairing'];
export type ApiKey = Schemas['ApiKey'];
export type UploadedFile = Schemas['UploadedFile'];
/**
 * A client of the Browser Task Service, for Node 20 and browsers. Requests are repeated after failures that may pass, and
 * what goes wrong is a `BrowserTaskError` with `code`, `status` and `requestId`.
 */
export declare class BrowserTasks {
    #private;
    readonly tasks: Tasks;
    readonly browsers: Browsers;
    readonly keys: Keys;
    readonly usage: Usage;
    readonly files: Files;
    readonly webhooks: {
        unwrap: typeof unwrap;
    };
    constructor(options: HttpOptions);
    /**
     * What happens in all tasks of the workspace, from now on or behind a cursor, each event once and in order, over lost
     * connections, until `signal` aborts. Throws `EventsExpired` when events behind the cursor are not kept any more.
     */
    events({ types, after, signal, onAway }?: EventsOfWorkspace): AsyncGenerator<StreamedEvent>;
}
export interface EventsOfWorkspace extends EventsOptions {
    /** Only these types of events. */
    readonly types?: readonly string[];
}
/** Paired browsers. */
declare class Browsers {
    #private;
    constructor(http: Http);
    /** A link by which a person pairs a browser: valid for one browser and five minutes. */
    pair(params?: Schemas['PairBody']): Promise<Pairing>;
    /** Every paired browser, or those with this status, newest first. */
    list(query?: {
        readonly status?: BrowserSession['status'];
    }): AsyncGenerator<BrowserSession>;
    /** Of the browsers that are connected the one that connected last; `null` when none is. */
    newest(): Promise<BrowserSession | null>;
    /** The same, waited for if need be. */
    connected({ signal }?: {
        readonly signal?: AbortSignal;
    }): Promise<BrowserSession>;
    /** Ends a pairing. */
    remove(id: string): Promise<void>;
}
/** Keys of the workspace. */
declare class Keys {
    #private;
    constructor(http: Http);
    /** Makes a key, whose text is in this answer and nowhere else. */
    create(params: Schemas['CreateKeyBody']): Promise<Schemas['KeyCreated']>;
    list(): Promise<ApiKey[]>;
    delete(id: string): Promise<void>;
}
/** Files for tasks to come. */
declare class Files {
    #private;
    constructor(http: Http);
    /** Keeps a file of up to 25 MB for 24 hours, or as long as a task that names it by `file_id`. */
    upload(name: string, content: Blob | string | Uint8Array<ArrayBuffer>): Promise<UploadedFile>;
}
/** What was used, and what is left. */
declare class Usage {
    #private;
    constructor(http: Http);
    /** Tokens, model calls, cost and tasks, from `since` (ms) on. */
    get({ since }?: {
        readonly since?: number;
    }): Promise<Schemas['UsageSummary']>;
    credits(): Promise<Schemas['Credits']>;
}
