import { type ComandaError, comandaError } from '@comanda/client';
import type pg from 'pg';
import { vi } from 'vitest';
import type { Detail } from '../../packages/api/src/carried.ts';
import type { Reason } from '../../packages/api/src/reasons.ts';
import type { Answer } from '../support/api.ts';
import { thrownBy } from '../support/thrown.ts';

/** The answer that a program gets. */
export interface Refusal {
  status: number;
  code: unknown;
  reason: string | null;
  /** Its additional fields, as `ErrorData` names them. */
  carries?: Detail[];
}

const carriers: Readonly<Record<Detail, string>> = {
  resourceId: 'location',
  retryAfterSeconds: 'retry-after',
  etag: 'etag',
  since: 'x-error-since',
};
const details = Object.keys(carriers) as Detail[];

/** The refusal in an answer. */
export const refusalIn = ({ status, headers, body }: Answer): Refusal => ({
  status,
  code: (body.error as { code: string } | undefined)?.code,
  reason: headers.get('x-error-reason'),
  carries: details.filter((name) => headers.has(carriers[name])),
});

/** The same of what the typed client threw. */
export const refusalThrown = ({ httpStatus: status, code, reason, ...rest }: ComandaError): Refusal => ({
  status,
  code,
  reason,
  carries: details.filter((name) => name in rest),
});

/**
 * The answer to the first of many calls that is refused for this reason. They are more than a process works on for a
 * location: some are refused at once; others when nothing has moved. On a slow machine the first kind takes more than
 * one round.
 */
export async function whileCategoriesAreLocked(
  outside: pg.Client,
  call: () => Promise<Refusal>,
  reason: Reason,
): Promise<Refusal> {
  await outside.query('begin; lock table categories in access exclusive mode');
  const answers: Refusal[] = [];
  const asked: Promise<void>[] = [];
  const ask = async () => {
    answers.push(await call());
  };
  const found = () => answers.find((answer) => answer.reason === reason);
  try {
    for (let round = 0; round < 5 && found() === undefined; round += 1) {
      const before = answers.length;
      asked.push(...Array.from({ length: 400 }, ask));
      await vi.waitUntil(() => found() !== undefined || answers.length >= before + 400, 20_000);
    }
  } finally {
    await outside.query('rollback');
  }
  await Promise.allSettled(asked);
  const refused = found();
  if (refused === undefined) throw new Error(`none was refused as ${reason}`);
  return refused;
}

/** How the typed client was refused. @throws {Error} when it was not. */
export async function refusalOf(call: Promise<unknown>): Promise<ComandaError> {
  const refusal = comandaError(await thrownBy(call));
  if (refusal === undefined) throw new Error('was not refused');
  return refusal;
}
