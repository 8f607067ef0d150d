import type { components, operations } from './api.ts';
import { type WithCursor } from './events.ts';
import type { Http } from './http.ts';
import type { InputAnswer, OnInput } from './inputs.ts';
export type { InputAnswer, InputRequest, OnInput } from './inputs.ts';
type Schemas = components['schemas'];
export type Task = Schemas['Task'];
export type TaskSummary = Schemas['TaskSummary'];
export type TaskCreated = Schemas['TaskCreated'];
export type TaskEvent = Schemas['Event'];
/** An event with the `cursor` behind which `events({ after })` goes on. */
export type StreamedEvent = WithCursor<TaskEvent>;
export type Step = Schemas['Step'];
export type TaskFile = Schemas['TaskFile'];
/** What is undefined counts as left out. */
type Optional<Body> = {
    [Field in keyof Body]?: Body[Field] | undefined;
};
/** What a task may type without knowing it: with a `value`, or with `totp`. */
export type Secret = Pick<Schemas['SecretBody'], 'name' | 'domains'> & Optional<Schemas['SecretBody']>;
/** A file that a start brings: by `data` and `name`, by `url`, or by `file_id`. */
export type GivenFile = Optional<Schemas['GivenFileBody']>;
type StartFields<Body> = Optional<Omit<Body, 'secrets' | 'files'>> & {
    secrets?: Secret[] | null | undefined;
    files?: GivenFile[] | null | undefined;
};
/** What a start takes. */
export type CreateTask = Pick<Schemas['CreateTaskBody'], 'task' | 'browser_session_id'> & StartFields<Schemas['CreateTaskBody']>;
export type RerunTask = StartFields<Schemas['RerunBody']>;
export type TaskQuery = NonNullable<operations['listTasks']['parameters']['query']>;
export interface CallOptions {
    readonly signal?: AbortSignal;
}
export interface CreateOptions extends CallOptions {
    /** Of your own, such as the number of an order; else one is made. */
    readonly idempotencyKey?: string;
    /** The span that the task's trace goes on from, as W3C Trace Context writes it. */
    readonly traceparent?: string | undefined;
}
export interface WaitOptions extends CallOptions {
    /** Answers what the task asks its user. Without it a task that asks is given as it is, in `waitingForInput`. */
    readonly onInput?: OnInput;
}
export interface RunOptions extends CreateOptions, WaitOptions {
    /** Each event, as it happens. */
    readonly onEvent?: (event: StreamedEvent) => unknown;
}
export interface EventsOptions extends CallOptions {
    /** Only what comes after this cursor. */
    readonly after?: number;
    /** Called with true when the connection is lost, with false when it is back. */
    readonly onAway?: (isAway: boolean) => void;
}
/** [Y1] Tasks: start, follow, find, steer and end them. */
export declare class Tasks {
    #private;
    constructor(http: Http);
    /**
     * Starts a task and gives it once it has ended, or needs an answer that `onInput` does not give: then its `state` is
     * `waitingForInput`, and `input_request` says what it asks. `signal` cancels the task.
     */
    run(params: CreateTask, { onEvent, onInput, signal, ...start }?: RunOptions): Promise<Task>;
    /** Starts a task and gives it at once: it runs in the background. */
    create(params: CreateTask, options?: CreateOptions): Promise<TaskCreated>;
    /** Starts the same request again; `changes` replace its fields. */
    rerun(id: string, changes?: RerunTask, options?: CreateOptions): Promise<TaskCreated>;
    get(id: string, { signal }?: CallOptions): Promise<Task>;
    /**
     * The task once it has ended, however long that takes, or needs an answer that `onInput` does not give (see `run`).
     * `signal` ends the waiting, and not the task.
     */
    wait(id: string, options?: WaitOptions): Promise<Task>;
    /** What happens in a task, each event once and in order, until it has ended; over lost connections. */
    events(id: string, { signal, after, onAway }?: EventsOptions): AsyncGenerator<StreamedEvent>;
    /** Every task that fulfils the conditions, newest first; pages are read as they are needed. */
    list(query?: TaskQuery, { signal }?: CallOptions): AsyncGenerator<TaskSummary>;
    /** Every step, in order. */
    steps(id: string, { signal }?: CallOptions): AsyncGenerator<Step>;
    /** Ends a running task; the task once it has ended. */
    cancel(id: string, { signal }?: CallOptions): Promise<Task>;
    /** Removes a task that has ended. */
    delete(id: string): Promise<void>;
    /** Says something to a running task: the model reads it before its next step, or at once (`interrupt`). */
    message(id: string, text: string, { interrupt }?: {
        readonly interrupt?: boolean;
    }): Promise<void>;
    /** Answers what a task asks its user: its `input_request`. */
    answer(id: string, requestId: string, answer: InputAnswer): Promise<void>;
    /** Keeps a task from making calls until it is resumed. */
    pause(id: string): Promise<Task>;
    resume(id: string): Promise<Task>;
    /** The screenshot of a step, a JPEG; `null` when there is none. */
    screenshot(id: string, step: number): Promise<Blob | null>;
    /** The files that the task was given, and those that it downloaded, oldest first. */
    files(id: string, { signal }?: CallOptions): AsyncGenerator<TaskFile>;
    /** The bytes of a file of the task; `null` when there is none. */
    file(id: string, fileId: string): Promise<Blob | null>;
}
