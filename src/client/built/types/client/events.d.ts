import type { Patience } from './patience.ts';
/** An event with the cursor behind which reading goes on: its place in the log that was read. */
export type WithCursor<Event> = Event & {
    readonly cursor: number;
};
export interface StreamOptions {
    /** Opens the stream behind a cursor, over failures that may pass. */
    readonly open: (after: number, signal: AbortSignal) => Promise<Response>;
    /** What `open` and the stream share. */
    readonly patience: Patience;
    /** Ends the events. */
    readonly stop: AbortSignal;
    /** What a response without events is thrown as. */
    readonly refused: (response: Response) => Promise<Error>;
    /** The log of a task ends with it; that of a workspace goes on. */
    readonly endsWithTask: boolean;
    /** Only what comes after this cursor. */
    readonly after: number;
    readonly silenceMsMax?: number;
}
/**
 * [Y3] The events of a log, each once and in order. A lost connection is opened again behind what was seen, for as long
 * as patience lasts. Throws what the service refuses, and `connection_failed` when patience has ended.
 */
export declare function eventsOf<Event extends {
    readonly type: string;
}>({ open, patience, stop, refused, endsWithTask, after, silenceMsMax, }: StreamOptions): AsyncGenerator<WithCursor<Event>>;
