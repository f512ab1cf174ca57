import { addJob, isId, newId } from '@comanda/db';
import { ApiError, conflict, notFound } from '../../errors.ts';
import type { Answer } from '../../request/answer.ts';
import type { CallContext } from '../../request/context.ts';
import { readPage } from '../../request/page-text.ts';
import { inTransaction } from '../../request/writing.ts';
import type { Page } from '../../wire.ts';
import type { Certification, CertificationStart } from './schema.ts';
import { insertCertification, listCertifications, readCertification } from './statements.ts';

/**
 * Starts a certification, which a worker plays. Throws `permission_denied` at a location that is no sandbox, `conflict` when one
 * is under way there.
 */
export async function start(ctx: CallContext, does: CertificationStart): Promise<Answer<Certification>> {
  const { locationId, location } = ctx.caller;
  if (!location.sandbox)
    throw new ApiError(
      'sandbox_only',
      'Only a sandbox is certified, since faults are played there and data is made; the key is of a live location.',
    );
  return inTransaction(ctx, async (tx) => {
    const certificationId = newId();
    const [made] = await tx.run(insertCertification, [locationId, certificationId, JSON.stringify(does)]);
    if (made === undefined)
      throw conflict(
        'certification_running',
        'A certification of this sandbox is under way: GET /v2/certifications shows it.',
      );
    await addJob(tx, 'certify', { locationId, certificationId }, { jobKey: `certify:${certificationId}` });
    return { text: made.doc };
  });
}

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
