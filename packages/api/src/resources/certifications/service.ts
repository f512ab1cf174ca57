import { addJob, isId, newId } from '@comanda/db';
import type { Answer } from '../../call/answer.ts';
import type { CallContext } from '../../call/context.ts';
import { readPage } from '../../call/page-text.ts';
import { inTransaction } from '../../call/writing.ts';
import { ApiError, conflict, notFound } from '../../errors.ts';
import type { Page } from '../../wire.ts';
import { type Certification, type CertificationStart, doesOf } from './schema.ts';
import {
  abortCertification,
  insertCertification,
  listCertifications,
  readCertification,
} from './statements.ts';

/**
 * Starts a certification, which a worker plays. Throws `permission_denied` at a location that is no sandbox, `conflict` when one
 * is under way there.
 */
export async function start(
  ctx: CallContext,
  { role, ...given }: CertificationStart,
): Promise<Answer<Certification>> {
  const { locationId, location } = ctx.caller;
  if (!location.sandbox)
    throw new ApiError(
      'sandbox_only',
      'Only a sandbox is certified, since faults are played there and data is made; the key is of a live location.',
    );
  return inTransaction(ctx, async (tx) => {
    const certificationId = newId();
    const does = { ...doesOf[role ?? 'kiosk'], ...given };
    const values = [locationId, certificationId, JSON.stringify(does), role ?? null];
    const [made] = await tx.run(insertCertification, values);
    if (made === undefined)
      throw conflict(
        'certification_running',
        'A certification of this sandbox is under way: GET /v2/certifications shows it.',
      );
    await addJob(tx, 'certify', { locationId, certificationId }, { jobKey: `certify:${certificationId}` });
    return { text: made.doc };
  });
}

/** Ends one that is under way, with every check of it. Throws `resource_not_found`, `conflict` for one that has ended. */
export async function abort(ctx: CallContext, id: string): Promise<Answer<Certification>> {
  if (!isId(id)) throw notFound('Certification');
  const { locationId } = ctx.caller;
  return inTransaction(ctx, async (tx) => {
    const [aborted] = await tx.run(abortCertification, [locationId, id, abortedByRequest]);
    const [shown] = await tx.run(readCertification, [locationId, id]);
    if (shown === undefined) throw notFound('Certification');
    if (aborted === undefined) throw conflict('certification_ended', 'This certification has ended already.');
    return { text: shown.doc };
  });
}

const abortedByRequest = 'Aborted, as was asked.';

/** Lists certifications, newest first. */
export const list = (
  ctx: CallContext,
  paging: { limit: number; offset: number },
): Promise<Answer<Page<Certification>>> => readPage(ctx, listCertifications, paging);

/** Reads one. Throws `resource_not_found`. */
export async function get(ctx: CallContext, id: string): Promise<Answer<Certification>> {
  const [found] = isId(id) ? await ctx.app.database.run(readCertification, [ctx.caller.locationId, id]) : [];
  if (found === undefined) throw notFound('Certification');
  return { text: found.doc };
}
