import type { components } from './api.ts';
type Schemas = components['schemas'];
/** What a task asks its user: a question, or the approval of an action. */
export type InputRequest = Schemas['InputRequest'];
/** `accept` (with `content` for a question), `decline` or `cancel`. */
export type InputAnswer = Pick<Schemas['InputBody'], 'action'> & {
    [Field in keyof Schemas['InputBody']]?: Schemas['InputBody'][Field] | undefined;
};
type Answered = InputAnswer | undefined | null;
/**
 * Answers what a task asks; gives nothing when somebody else is to answer. `signal` aborts when no answer is needed any
 * more, since the task has ended.
 */
export type OnInput = (request: InputRequest, options: {
    readonly signal: AbortSignal;
}) => Answered | Promise<Answered>;
/** Puts what a task asks to the caller's function, each request once, while the task is followed. */
export declare class Inputs {
    #private;
    constructor(onInput: OnInput, send: (request: InputRequest, answer: InputAnswer) => Promise<void>);
    /** Aborts with what the caller's function or its answer failed with. */
    get failed(): AbortSignal;
    /** Asks, beside what else goes on. */
    put(request: InputRequest): void;
    end(): void;
}
export {};
