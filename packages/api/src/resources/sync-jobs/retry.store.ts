import { isId, type Transaction } from '@comanda/db';
import { type AuditActor, auditAs } from '../../call/audit.ts';
import { conflict, notFound } from '../../errors.ts';
import { queueJobs } from './queue.store.ts';
import type { SyncJob } from './schema.ts';
import { holdJob, queueJobAgain } from './statements.ts';

/**
 * Queues a failed job again. It continues behind the last processed item; a job of which nothing could be applied
 * starts over. So no item is applied twice. Counts no batch job. Throws `resource_not_found`, `conflict` for one that
 * has not failed.
 */
export async function retryIn(tx: Transaction, actor: AuditActor, id: string): Promise<SyncJob> {
  const { locationId } = actor;
  const [held] = isId(id) ? await tx.run(holdJob, [locationId, id]) : [];
  if (held === undefined) throw notFound('Sync job');
  const { status } = held;
  if (status !== 'failed')
    throw conflict('illegal_move', `Only a failed job is run again; this one is ${status}.`);
  const [queued] = await tx.run(queueJobAgain, [locationId, id]);
  await queueJobs(tx, locationId);
  auditAs(tx, actor, 'syncJobs.retry', id, { before: { status }, after: { status: 'queued' } });
  return JSON.parse(queued?.doc ?? '') as SyncJob;
}
