/** Attribute of a document that stands for one of another type, which its browser cannot show (headless-shell.ts). */
export const SHOWN_TYPE = 'data-browser-task-shows'
