export interface EventsOptions {
    /** Opens the stream behind a cursor; rejects when the service cannot be reached. */
    readonly open: (after: number, signal: AbortSignal) => Promise<Response>;
    /** Ends the events. */
    readonly stop: AbortSignal;
    /** What a response that no reconnection mends is thrown as. */
    readonly refused: (response: Response) => Promise<Error>;
    /** Called with true when the connection is lost, with false when it is back. */
    readonly onAway?: (isAway: boolean) => void;
    /** The log of a task ends with it; that of a workspace goes on. */
    readonly endsWithTask?: boolean;
    /** Only what comes after this event. */
    readonly after?: number;
}
/**
 * [Y3] The events of a task, each once and in order, until it has ended. A lost connection is opened again behind what
 * was seen, however often that happens: the service may be started again meanwhile.
 * Rejects when the first connection fails, or the service refuses.
 */
export declare function eventsOf<Event extends {
    readonly type: string;
}>(options: EventsOptions): AsyncGenerator<Event>;
