import { expect, test } from 'vitest';
import { everyOperation, faultsOfCalls, leftOut } from '../../bench/operations/complete.ts';

test('the bench calls every operation of the router, or says why it does not', () => {
  expect(everyOperation).toEqual(
    expect.arrayContaining(['orders.overview', 'appCodes.redeem', 'turns.close']),
  );
  expect(faultsOfCalls()).toEqual([]);
  for (const reason of Object.values(leftOut)) expect(reason).not.toBe('');
});
