/** How a person calls this command again, in the hints that it prints. */
export const invocation = { command: 'npx browser-task-service' }
