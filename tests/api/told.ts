import { type ComandaError, comandaError } from '@comanda/client';
import type pg from 'pg';
import { vi } from 'vitest';
import type { Detail } from '../../packages/api/src/carried.ts';
import type { Reason } from '../../packages/api/src/reasons.ts';
import type { Answer } from '../support/api.ts';
import { thrownBy } from '../support/thrown.ts';

/** The answer that a program gets. */
export interface Told {
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
export const toldBy = ({ status, headers, body }: Answer): Told => ({
  status,
  code: (body.error as { code: string } | undefined)?.code,
  reason: headers.get('x-error-reason'),
  carries: details.filter((name) => headers.has(carriers[name])),
});

/** The same of what the typed client threw. */
export const toldTyped = ({ httpStatus: status, code, reason, ...rest }: ComandaError): Told => ({
  ...{ status, code, reason },
  carries: details.filter((name) => name in rest),
});

/**
 * The answer to the first of many calls that is refused for this reason. They are more than a process works on for a
 * location: some are refused at once; others when nothing has moved. On a slow machine the first kind takes more than
 * one round.
 */
export async function whileCategoriesAreLocked(
  outside: pg.Client,
  call: () => Promise<Told>,
  reason: Reason,
): Promise<Told> {
  await outside.query('begin; lock table categories in access exclusive mode');
  const answers: Told[] = [];
  const asked: Promise<void>[] = [];
  const ask = async () => {
    answers.push(await call());
  };
  const told = () => answers.find((answer) => answer.reason === reason);
  try {
    for (let round = 0; round < 5 && told() === undefined; round += 1) {
      const before = answers.length;
      asked.push(...Array.from({ length: 400 }, ask));
      await vi.waitUntil(() => told() !== undefined || answers.length >= before + 400, 20_000);
    }
  } finally {
    await outside.query('rollback');
  }
  await Promise.allSettled(asked);
  const refused = told();
  if (refused === undefined) throw new Error(`none was refused as ${reason}`);
  return refused;
}

/** How the typed client was refused. @throws {Error} when it was not. */
export async function refusalOf(call: Promise<unknown>): Promise<ComandaError> {
  const refusal = comandaError(await thrownBy(call));
  if (refusal === undefined) throw new Error('was not refused');
  return refusal;
}
