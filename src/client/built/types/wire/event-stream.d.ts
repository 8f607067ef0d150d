/** One event of a stream of Server-Sent Events. */
export interface StreamedEvent {
    /** What a reconnection sends as its cursor. */
    readonly id: string | null;
    readonly data: string;
}
/**
 * The events of a response, as they come; ends with it. `onBytes` is called for whatever comes, comments included: who
 * receives nothing for long has lost the connection.
 */
export declare function streamedEvents(body: AsyncIterable<Uint8Array>, onBytes?: () => void): AsyncGenerator<StreamedEvent>;
