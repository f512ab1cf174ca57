import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc';
import { expect, it } from 'vitest';
import { frontReasons } from '../../packages/api/src/reasons/front.ts';
import { errorCodes, readReasons, statusOf } from '../../packages/api/src/reasons.ts';
import { type FrontRefusal, refusals } from '../../packages/client/src/front/refusals.ts';

const names = Object.keys(refusals) as FrontRefusal[];

it.each(names)('a front refuses with code and status of the table of reasons: %s', (name) => {
  const { code, status } = refusals[name];
  expect({ code, status }).toEqual({ code: readReasons[name].code, status: statusOf(name) });
});

it.each(names)('a front refuses a call with a number of tRPC: %s', (name) => {
  const special: Partial<Record<number, keyof typeof TRPC_ERROR_CODES_BY_KEY>> = {
    405: 'METHOD_NOT_SUPPORTED',
    413: 'PAYLOAD_TOO_LARGE',
    415: 'UNSUPPORTED_MEDIA_TYPE',
    503: 'SERVICE_UNAVAILABLE',
  };
  const { code, status, trpc } = refusals[name];
  expect(trpc).toBe(TRPC_ERROR_CODES_BY_KEY[special[status] ?? errorCodes[code].trpc]);
});

it('the table has no reason of a front that it does not give', () => {
  expect(Object.keys(frontReasons).filter((name) => !(name in refusals))).toEqual([]);
});
