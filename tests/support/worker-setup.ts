import { afterAll } from 'vitest';
import { endLeftOver } from './left-over.ts';

// A test process whose vitest was killed would go on by itself. (process.exit throws inside of vitest.)
if (process.listeners('disconnect').every(({ name }) => name !== killItself.name))
  process.once('disconnect', killItself);

function killItself(): void {
  process.kill(process.pid, 'SIGKILL');
}

// Runs for each file, before its own hooks are known: so this comes after them.
afterAll(endLeftOver, 60_000);
