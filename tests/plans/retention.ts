import { addJob } from '@comanda/db';
import { retentionRules } from '../../packages/worker/src/retention/rules.ts';
import type { Service } from './service.ts';

/** Has the worker look for what is old, by every rule. */
export async function removeWhatIsOld({ app, settled }: Service): Promise<void> {
  for (const { name } of retentionRules) await addJob(app.database, 'remove-old', { rule: name });
  await settled();
}
