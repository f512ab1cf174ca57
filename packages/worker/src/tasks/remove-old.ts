import { addJob, type Settings } from '@comanda/db';
import { parseCronItems } from 'graphile-worker';
import type { RetentionRule, RetentionSetting } from '../retention/batch.ts';
import { retentionRules } from '../retention/rules.ts';
import { sweepRule } from '../retention/sweep-rule.ts';
import type { Task } from './task.ts';

/** For how long each thing is kept. */
export type Keep = Pick<Settings, RetentionSetting>;

/** How long one job may work before it hands over to the next: a worker that stops waits no longer than this. */
const sliceMs = 3_000;

/** Removes what is old by one rule; what a slice of time does not suffice for, the next job goes on with. */
export function removeOld(keep: Keep): Task<'remove-old'> {
  return async ({ rule: name, after }, { clock, database, log, signal }) => {
    const rule: RetentionRule | undefined = retentionRules.find((known) => known.name === name);
    // Queued by another version, which has other rules.
    if (rule === undefined) return;
    const until = clock.now() + sliceMs;
    const pass = await sweepRule(database, rule, {
      clock,
      keep: typeof rule.setting === 'string' ? keep[rule.setting] : rule.setting.days,
      after,
      over: () => signal.aborted || clock.now() > until,
      restMs: (tookMs) => Math.min(1_000, tookMs),
    });
    if (pass.removed > 0) log.info({ rule: name, removed: pass.removed }, 'removed what was old');
    if (pass.after === undefined) return;
    await addJob(database, 'remove-old', { rule: name, after: pass.after }, { jobKey: removalKey(name) });
  };
}

/** Every rule once an hour, minutes apart. A backlog of hours collapses: a rule has at most one waiting job. */
export function removalTimes() {
  return parseCronItems(
    retentionRules.map(({ name }, index) => ({
      task: 'remove-old',
      identifier: removalKey(name),
      match: `${(7 + index * 7) % 60} * * * *`,
      payload: { rule: name },
      options: { maxAttempts: 3, jobKey: removalKey(name), jobKeyMode: 'preserve_run_at' },
    })),
  );
}

function removalKey(rule: string): string {
  return `remove-old:${rule}`;
}
