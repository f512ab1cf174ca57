import { format } from 'node:util';
import type { Logger } from 'pino';

/**
 * Sends what libraries write to the console into the log, for a process that has no other use for its console: the
 * queue traces errors there that its runner reports too.
 */
export function routeConsole(log: Logger): void {
  const write = (...parts: unknown[]) =>
    log.warn({ console: format(...parts.map(briefly)).slice(0, 500) }, 'console');
  for (const method of ['trace', 'error', 'warn', 'info', 'log', 'debug'] as const) console[method] = write;
}

// An error's own members can hold parameters of a statement.
const briefly = (part: unknown): unknown => (part instanceof Error ? `${part.name}: ${part.message}` : part);
