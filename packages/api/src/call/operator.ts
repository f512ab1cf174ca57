import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * The name of the operator at the command line, as stated. Every entry of a command takes it from here, so that no
 * command can leave it out. A file of its own: a command that needs no database loads it.
 */
export const operator = new AsyncLocalStorage<string>();
