import { createHash } from 'node:crypto';
import { type Service, ServiceError } from '../service.ts';
import { sleep } from '../waiting.ts';
import type { Kind } from './fields.ts';
import type { Refused, Row } from './rows.ts';

/** A dry run's words on an item that can be applied. */
export interface Change {
  action: string;
  changes: { field: string; before?: unknown; after: unknown }[];
}

/** The result of a call for rows, made or foreseen. */
export interface Outcome {
  refused: Refused[];
  /** Of a dry run, by row. */
  changes: { row: Row; change: Change }[];
  /** Rows that were applied, or would be. */
  applied: number;
  /** Of these, rows that an earlier call with the same content applied. */
  before: number;
}

/** How rows are sent. */
export interface Sender {
  /** Asks what would become of them; nothing is changed. */
  preview(rows: readonly Row[]): Promise<Outcome>;
  /** Sends them, and waits until they are applied. */
  push(rows: readonly Row[]): Promise<Outcome>;
}

/** An hour's batch jobs may be used up: what waits for the next hour waits a little more than an hour. */
const longestWaitSeconds = 3_700;
const longestPauseMs = 1_000;

/**
 * One for a file that was written at that moment. A call has an idempotency key made of the moment and of its content:
 * given again after a crash, the same file does nothing twice, and a file that was written again is a new one. `said` goes
 * with the rows of each call.
 */
export function openSender(
  api: Service,
  kind: Kind,
  said: Readonly<Record<string, unknown>>,
  writtenMs: number,
): Sender {
  const bodyOf = (rows: readonly Row[]) => ({ ...said, [kind.rows]: rows.map(({ item }) => item) });
  const preview = async (rows: readonly Row[]): Promise<Outcome> =>
    kind.isPlanned === true ? planned(rows) : looked(rows);
  const looked = (rows: readonly Row[]) =>
    sendAccepted(rows, kind, async (accepted) => {
      const body = { ...bodyOf(accepted), dry_run: true };
      const { data } = (await api.call({ method: 'POST', path: kind.path, body })) as { data: Previewed };
      const changes = data.changes.flatMap(({ index, ...change }) => {
        const row = accepted[index];
        return row === undefined ? [] : [{ row, change }];
      });
      return { changes, refused: refusedOf(accepted, data.errors), applied: data.success_items, before: 0 };
    });
  const push = (rows: readonly Row[]) =>
    sendAccepted(rows, kind, async (accepted) => {
      const body = kind.name === 'products' ? { ...bodyOf(accepted), include: ['ids'] } : bodyOf(accepted);
      const idempotencyKey = keyOf(kind, writtenMs, body);
      const { path } = kind;
      const sent = await api.ask({ method: 'POST', path, body, idempotencyKey, longestWaitSeconds });
      const { data } = sent.body as { data: Applied | { job_id: string } | { total_prices: number } };
      const applied =
        'job_id' in data
          ? await jobDone(api, data.job_id)
          : 'total_prices' in data
            ? { success_items: data.total_prices, failed_items: 0, errors: [] }
            : data;
      const refused = refusedOf(accepted, applied.errors);
      refused.push(...(await unnamed(accepted, applied, preview)));
      const done = applied.success_items;
      return { changes: [], refused, applied: done, before: sent.replayed ? done : 0 };
    });
  return { preview, push };
}

/** Nothing is known of the products before: the service refuses what it does not know when it is planned. */
const planned = (rows: readonly Row[]): Outcome => ({
  changes: rows.map((row) => ({
    row,
    change: { action: 'planned', changes: [{ field: 'price', after: row.item.price }] },
  })),
  refused: [],
  applied: rows.length,
  before: 0,
});

interface Fault {
  index: number;
  message: string;
}

interface Applied {
  success_items: number;
  failed_items: number;
  errors: Fault[];
  /** Of a job: what was applied. */
  ids?: { index: number }[];
  error?: string;
}

interface Previewed {
  success_items: number;
  errors: Fault[];
  changes: (Change & { index: number })[];
}

function keyOf(kind: Kind, writtenMs: number, body: object): string {
  const text = JSON.stringify([kind.name, writtenMs, body]);
  return `push-${createHash('sha256').update(text).digest('hex')}`;
}

async function jobDone(api: Service, id: string): Promise<Applied> {
  for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    const path = `/v2/sync/jobs/${encodeURIComponent(id)}`;
    const { data } = (await api.call({ path })) as { data: Applied & { status: string } };
    if (data.status === 'completed' || data.status === 'failed') return data;
    await sleep(pauseMs);
  }
}

function refusedOf(rows: readonly Row[], faults: readonly Fault[]): Refused[] {
  return faults.flatMap(({ index, message }) => {
    const row = rows[index];
    return row === undefined ? [] : [{ ...row, reason: inLines(message, rows) }];
  });
}

/** A job names its first hundred failures: a dry run says of the others why. */
async function unnamed(
  rows: readonly Row[],
  { ids, errors, error, failed_items: failed }: Applied,
  preview: (rows: readonly Row[]) => Promise<Outcome>,
): Promise<Refused[]> {
  if (ids === undefined || (failed <= errors.length && error === undefined)) return [];
  const known = new Set([...ids, ...errors].map(({ index }) => index));
  const left = rows.filter((_, index) => !known.has(index));
  if (error !== undefined) return left.map((row) => ({ ...row, reason: error }));
  const reasons = new Map((await preview(left)).refused.map(({ line, reason }) => [line, reason]));
  const other = 'was not applied; now it could be: push it again';
  return left.map((row) => ({ ...row, reason: reasons.get(row.line) ?? other }));
}

/** Sends rows. Those for which the service refuses all that are sent with them are taken out, and the rest is sent again. */
async function sendAccepted(
  rows: readonly Row[],
  kind: Kind,
  send: (rows: readonly Row[]) => Promise<Outcome>,
): Promise<Outcome> {
  const refused: Refused[] = [];
  for (let left = rows; left.length > 0; ) {
    try {
      const outcome = await send(left);
      return { ...outcome, refused: [...refused, ...outcome.refused] };
    } catch (error) {
      const faults = faultsOf(error, left, kind);
      if (faults.size === 0) throw error;
      for (const [row, reason] of faults) refused.push({ ...row, reason: inLines(reason, left) });
      left = left.filter((row) => !faults.has(row));
    }
  }
  return { changes: [], refused, applied: 0, before: 0 };
}

/** The rows that a refusal of all names, as in `items[3].price: …`, and why. */
function faultsOf(error: unknown, rows: readonly Row[], kind: Kind): Map<Row, string> {
  const faults = new Map<Row, string>();
  if (!(error instanceof ServiceError) || error.status !== 422) return faults;
  for (const part of error.said.split(/; (?=(?:items|prices)\[)/)) {
    const [, list, index, reason = ''] = /^(items|prices)\[(\d+)\]\.?(.*)$/s.exec(part) ?? [];
    if (list !== kind.rows) continue;
    const row = rows[Number(index)];
    if (index === undefined || row === undefined) continue;
    const text = reason.replace(/^: /, '').replace(/; and( \d+)? more$/, '');
    faults.set(row, faults.has(row) ? `${faults.get(row)}; ${text}` : text);
  }
  return faults;
}

/** The service counts items of a call; who has the file counts its lines. */
const inLines = (message: string, rows: readonly Row[]): string =>
  message.replace(/(?:items|prices)\[(\d+)\]/g, (found, index) => {
    const row = rows[Number(index)];
    return row === undefined ? found : `line ${row.line}`;
  });
