/** [X12] What is read of a password field that holds something: nothing of it, its length included. */
export const DOTS = '••••••••'
