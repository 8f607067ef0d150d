import type { components, operations } from './api.ts';
import { type Http } from './http.ts';
type Schemas = components['schemas'];
export type Task = Schemas['Task'];
export type TaskSummary = Schemas['TaskSummary'];
export type TaskCreated = Schemas['TaskCreated'];
export type TaskEvent = Schemas['Event'];
export type Step = Schemas['Step'];
/** What a start takes: fields that have a default may be left out. */
export type CreateTask = Pick<Schemas['CreateTaskBody'], 'task' | 'browser_session_id'> & Partial<Schemas['CreateTaskBody']>;
export type RerunTask = Partial<Schemas['RerunBody']>;
export type TaskQuery = NonNullable<operations['listTasks']['parameters']['query']>;
export interface CallOptions {
    readonly signal?: AbortSignal;
}
export interface CreateOptions extends CallOptions {
    /** Of your own, such as the number of an order; else one is made. */
    readonly idempotencyKey?: string;
}
export interface RunOptions extends CreateOptions {
    /** Each event, as it happens. */
    readonly onEvent?: (event: TaskEvent) => unknown;
}
export interface InputAnswer {
    readonly action: 'accept' | 'decline' | 'cancel';
    readonly content?: unknown;
}
/** [Y1] Tasks: start, follow, find, steer and end them. */
export declare class Tasks {
    #private;
    constructor(http: Http);
    /** Starts a task and gives it once it has ended. `signal` cancels it. */
    run(params: CreateTask, { onEvent, ...options }?: RunOptions): Promise<Task>;
    /** Starts a task and gives it at once: it runs in the background. */
    create(params: CreateTask, { idempotencyKey, signal }?: CreateOptions): Promise<TaskCreated>;
    /** Starts the same request again; `changes` replace its fields. */
    rerun(id: string, changes?: RerunTask, { idempotencyKey, signal }?: CreateOptions): Promise<TaskCreated>;
    get(id: string, { signal }?: CallOptions): Promise<Task>;
    /** The task once it has ended, however long that takes. `signal` ends the waiting, and not the task. */
    wait(id: string, { signal }?: CallOptions): Promise<Task>;
    /** What happens in a task, each event once and in order, until it has ended; over lost connections. */
    events(id: string, { signal, after }?: CallOptions & {
        readonly after?: number;
    }): AsyncGenerator<TaskEvent>;
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
    }): Promise<unknown>;
    /** Answers what a task asks of a person. */
    answer(id: string, requestId: string, answer: InputAnswer): Promise<unknown>;
    /** The screenshot of a step, a JPEG; `null` when there is none. */
    screenshot(id: string, step: number): Promise<Blob | null>;
    /** The files that the browser downloaded. */
    files(id: string): Promise<unknown>;
}
export {};
