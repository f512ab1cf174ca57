import { type Logger, pino } from 'pino';

/** A line of a log, with what every line has. */
export type LogLine = { msg: string; level: number } & Record<string, unknown>;

/** A log that keeps its lines, from `level` on. */
export function recordLog(level = 'info'): { log: Logger; lines: LogLine[] } {
  const lines: LogLine[] = [];
  return { lines, log: pino({ level }, { write: (line: string) => lines.push(JSON.parse(line)) }) };
}
