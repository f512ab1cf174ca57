import { expect, test } from 'vitest';
import { calls, unknownOperations, unmeasured } from '../../bench/operations/calls.ts';

test('the bench calls an operation that the router does not have', () => {
  expect(calls.length).toBeGreaterThan(80);
  expect(unknownOperations).toEqual([]);
});

test('the bench says that it measures every operation', () => {
  expect(unmeasured).toContain('GET /v2/events/stream');
  expect(unmeasured).not.toContain('GET /v2/orders');
});
