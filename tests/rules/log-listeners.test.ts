import { expect, test } from 'vitest';
import { createLog } from '../../packages/api/src/call/log.ts';

test('logs of one process share what they add to it: twelve of them made Node warn of a leak', () => {
  const counts = () => [
    process.listenerCount('exit'),
    ...[process.stdout, process.stderr].map((stream) => stream.listenerCount('error')),
  ];
  createLog('silent', 'api');
  const before = counts();
  for (let index = 0; index < 12; index += 1) createLog('silent', 'api');
  expect(counts()).toEqual(before);
});
