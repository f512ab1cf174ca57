import { again, type Clock, type Database, repeat, type Statement, systemClock } from '@comanda/db';
import type { BatchOf, RetentionRule, ScopeRow } from './batch.ts';

/** The result of one run of a rule. */
export interface Pass {
  removed: number;
  /** Where the next pass goes on; undefined when everything old is gone. */
  after: string | undefined;
}

/** The parameters of a pass. */
export interface PassOptions {
  /** The time of the rests; the machine's unless said. */
  clock?: Clock;
  /** The value of the rule's setting. */
  keep: number;
  /** `after` of the pass before. */
  after?: string | undefined;
  /** Whether the pass has to end; asked after each batch. */
  over(): boolean;
  /** How long to rest after a batch that took so long: the others have the database for half of the time. */
  restMs(tookMs: number): number;
}

/** Before every id. */
const beginning = '00000000-0000-0000-0000-000000000000';
/** Locations or keys looked at in one statement. */
const scopePage = 500;

/** Removes what is old by one rule, batch by batch, until nothing is left or it has to end. */
export async function sweepRule(database: Database, rule: RetentionRule, pass: PassOptions): Promise<Pass> {
  const { scopes } = rule;
  if (scopes === undefined) {
    const { removed, finished } = await removeAll(database, rule, pass, undefined);
    return { removed, after: finished ? undefined : beginning };
  }
  return sweepScopes(database, rule, scopes, pass);
}

async function sweepScopes(
  database: Database,
  rule: RetentionRule,
  scopes: Statement<ScopeRow>,
  pass: PassOptions,
): Promise<Pass> {
  let after = pass.after ?? beginning;
  let removed = 0;
  for (;;) {
    const page = await database.run(scopes, [after, pass.keep, scopePage]);
    for (const { id, old } of page) {
      if (old) {
        const done = await removeAll(database, rule, pass, id);
        removed += done.removed;
        // A scope that is unfinished is looked at again.
        if (!done.finished) return { removed, after };
      }
      after = id;
      if (old && pass.over()) return { removed, after };
    }
    if (page.length < scopePage) return { removed, after: undefined };
    if (pass.over()) return { removed, after };
  }
}

function removeAll(
  database: Database,
  rule: RetentionRule,
  pass: PassOptions,
  scope: string | undefined,
): Promise<{ removed: number; finished: boolean }> {
  const { clock = systemClock } = pass;
  let removed = 0;
  const batch: BatchOf = { scope, keep: pass.keep, after: undefined };
  const removeBatch = async () => {
    const began = clock.now();
    const done = await rule.remove(database, batch);
    removed += done.removed;
    batch.after = done.next;
    if (done.next === undefined) return { removed, finished: true };
    if (pass.over()) return { removed, finished: false };
    return again(pass.restMs(clock.now() - began));
  };
  return repeat(removeBatch, { clock });
}
