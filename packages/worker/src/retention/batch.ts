import type { Database, Settings, Statement } from '@comanda/db';

/** The result of one batch. */
export interface Batch {
  /** Rows of the rule's table that are gone. */
  removed: number;
  /** Where the next batch goes on; undefined when nothing is left for now. */
  next: string | undefined;
}

/** Where a batch works, and how far back. */
export interface BatchOf {
  /** The location or API key it works in; undefined where the rule has no scopes. */
  scope: string | undefined;
  /** The value of the rule's setting. */
  keep: number;
  /** `next` of the batch before. */
  after: string | undefined;
}

/** The rows that are removed once they are old, and how. */
export interface RetentionRule {
  /** Its name in the log. */
  name: string;
  /** How long it is kept: as a setting says, or these days under any settings. */
  setting: RetentionSetting | { days: number };
  /** Finds the scopes that hold something old, a page at a time: $1 the last id before, $2 keep, $3 page. */
  scopes?: Statement<ScopeRow>;
  /** Removes one batch in a short transaction of its own. */
  remove(database: Database, batch: BatchOf): Promise<Batch>;
}

/** A location or API key, and whether it holds something old. */
export interface ScopeRow {
  id: string;
  old: boolean;
}

/** The settings that say for how long something is kept. */
export type RetentionSetting = Extract<keyof Settings, `keep${string}` | 'idempotencyTtlHours'>;

/** Rows that a batch removes at most, so that its locks are short. */
export const batchRows = 1_000;
