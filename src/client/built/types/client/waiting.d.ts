import type { Http } from './http.ts';
import type { StreamedEvent, Task, Tasks, WaitOptions } from './tasks.ts';
/** The task once it has ended, or needs an answer that `onInput` does not give. */
export declare function waitForTask(http: Http, tasks: Tasks, id: string, options: WaitOptions): Promise<Task>;
/** The same by the events of the task, each of which the caller is told. */
export declare function followTask(tasks: Tasks, id: string, onEvent: (event: StreamedEvent) => unknown, options: WaitOptions): Promise<Task>;
