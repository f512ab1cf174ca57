import { expect, test } from 'vitest';
import { useTestDatabase } from '../support/database.ts';
import { ended, startProgram } from './run.ts';

const own = useTestDatabase();

// The address is of a range that is kept for documents: no machine has it, and nothing is sent to it.
test.each([
  ['worker', 'WORKER_PORT'],
  ['api', 'PORT'],
] as const)(
  'the %s that is to listen on the address of another machine ends with exit code 78 and one sentence',
  async (program, listensOn) => {
    const run = startProgram(program, {
      DATABASE_URL: own.url,
      HOST: '203.0.113.7',
      [listensOn]: '4000',
      LOG_LEVEL: 'error',
    });
    expect(await ended(run)).toBe(78);
    expect(run.output()).toBe(
      'HOST: 203.0.113.7 is no address of this machine (EADDRNOTAVAIL); set HOST to one of its addresses, 127.0.0.1 or 0.0.0.0\n',
    );
  },
);
