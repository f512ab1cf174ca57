import { hostname } from 'node:os';
import { onReaderGone, sayRecords } from '@comanda/db/terminal';
import pino, { type Logger } from 'pino';

/** Structured logs on standard output. The content of a line is decided where it is written, field by field. */
export function createLog(level: string, name: 'api' | 'worker'): Logger {
  return pino(
    {
      level,
      base: { name, host: hostname(), pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: describe },
    },
    standardOutput(),
  );
}

// The lines of one turn of the event loop go out with one call at its end: a call per line costs a busy process a
// tenth of its time. The rest is written when the process exits: standard output is written at once.
let lines = '';
function flush(): void {
  if (lines === '') return;
  const text = lines;
  lines = '';
  sayRecords(text);
}

/** Standard output, which all logs of the process share. */
function standardOutput(): pino.DestinationStream {
  if (!process.listeners('exit').includes(flush)) process.on('exit', flush);
  // The reader is gone: that must not end the process.
  onReaderGone();
  return {
    write(line) {
      if (lines === '') setImmediate(flush);
      lines += line;
    },
  };
}

// An error's own members can hold parameters of a statement: only what names it is written.
function describe(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: String(error) };
  const { code, where, constraint } = error as { code?: unknown; where?: unknown; constraint?: unknown };
  return {
    type: error.name,
    message: error.message,
    stack: error.stack,
    ...(typeof code === 'string' && { code }),
    ...(typeof where === 'string' && { where }),
    ...(typeof constraint === 'string' && { constraint }),
    ...(error.cause !== undefined && error.cause !== error && { cause: describe(error.cause) }),
  };
}
