import { statement } from '@comanda/db';
import { inSlot } from '../capacity/slots.ts';
import type { Caller } from '../credentials/credentials.ts';
import type { Stream } from '../live/live.ts';
import type { RequestContext } from './context.ts';
import type { CallRequest, Outcome } from './request.ts';

/** A call as a certification watches it. */
export interface Observed {
  /** The fault that the certification plays on the call. */
  fault: string | undefined;
  /** Notes outcome and idempotency key. Not awaited: a run judges a call when its answer is known. */
  end(outcome: Pick<Outcome, 'status' | 'text'>, key: unknown): void;
}

/**
 * Notes an admitted call where its location is a sandbox under certification; undefined anywhere else. A live location costs
 * nothing more.
 */
export async function beginObserving(
  request: CallRequest,
  { locationId, location }: Caller,
): Promise<Observed | undefined> {
  const { app, operation, shown, headers, requestId } = request;
  if (!location.sandbox || operation.name.startsWith('certifications.')) return undefined;
  const { database, capacity, log } = app;
  const begun = await inSlot(
    capacity.slots,
    { locationId, resource: 'certifications', kind: 'mutation' },
    async () => {
      const [run] = await database.run(findRun, [locationId]);
      if (run === undefined) return undefined;
      const values = [locationId, run.id, operation.name.replace(/^v1\./, ''), shown];
      const [noted] = await database.run(noteCall, [...values, requestId]);
      return noted && { ...run, ...noted };
    },
  );
  if (begun === undefined) return undefined;
  const { id, number, fault } = begun;
  return {
    fault: fault ?? undefined,
    end({ status, text }, key) {
      const replayed = headers['Idempotency-Replayed'] === 'true';
      const answered = text === undefined ? [] : idsIn(JSON.parse(text));
      const values = [locationId, id, number, status, replayed, answered];
      database
        .run(endCall, [...values, key === undefined ? null : String(key)])
        .catch((error: unknown) => log.warn({ err: error }, 'a call under certification was not noted'));
    },
  };
}

/** The stream, of whose events a certification learns where the location is a sandbox. */
export function observingStream<Watched extends Stream>(
  { app: { database, log }, requestId }: RequestContext,
  { locationId, location }: Caller,
  stream: Watched,
): Watched {
  if (!location.sandbox) return stream;
  return {
    ...stream,
    async next() {
      const news = await stream.next();
      if (news !== undefined && news.length > 0)
        database
          .run(noteNews, [locationId, requestId, news.map(({ id }) => id)])
          .catch((error: unknown) => log.warn({ err: error }, 'events of a stream were not noted'));
      return news;
    },
  };
}

/** The ids of the entries of an answer, or of the one thing that it shows. */
function idsIn(answer: unknown): string[] {
  if (typeof answer !== 'object' || answer === null) return [];
  const { data = answer } = answer as { data?: unknown };
  return (Array.isArray(data) ? data : [data]).slice(0, mostIds).flatMap((entry) => {
    const { id, job_id, product_id } = Object(entry) as Record<string, unknown>;
    const found = id ?? job_id ?? product_id;
    return typeof found === 'string' ? found : [];
  });
}

/** A page has no more entries, except an export. */
const mostIds = 1_000;

const findRun = statement<{ id: string }>(
  'find_running_certification',
  `select id from certifications where location_id = $1::uuid and status = 'running' limit 1`,
);

/** $1 location, $2 certification, $3 operation, $4 request, $5 request id. Takes the next fault, if one is meant for it. */
const noteCall = statement<{ number: string; fault: string | null }>(
  'note_certified_call',
  `with met as materialized (
     select c.faults[1] as fault from certifications c
     where c.location_id = $1::uuid and c.id = $2::uuid and c.faults <> '{}' and $3 = any (c.fault_operations) for update
   ), taken as (
     update certifications c set faults = c.faults[2:]
     where c.location_id = $1::uuid and c.id = $2::uuid and exists (select from met)
   )
   insert into internal.certification_calls (location_id, certification_id, operation, request, request_id, fault)
   values ($1::uuid, $2::uuid, $3, left($4, 2000), $5, (select fault from met))
   returning number::text, fault`,
);

/** $1 location, $2 certification, $3 number, $4 status, $5 whether it was a repeat, $6 the ids of what was answered, $7 idempotency key. */
const endCall = statement(
  'end_certified_call',
  `update internal.certification_calls set status = $4::smallint, replayed = $5, answered = $6::text[], idempotency_key = left($7, 255),
     ended_at = clock_timestamp()
   where location_id = $1::uuid and certification_id = $2::uuid and number = $3::bigint`,
);

/** $1 location, $2 request id, $3 ids of events that a stream brings. Nothing where no certification runs. */
const noteNews = statement(
  'note_certified_news',
  `insert into internal.certification_calls (location_id, certification_id, operation, request, request_id, status, answered, ended_at)
   select c.location_id, c.id, 'events.watch', 'GET /v2/events/stream', $2, 200, $3::text[], clock_timestamp()
   from certifications c where c.location_id = $1::uuid and c.status = 'running'`,
);
