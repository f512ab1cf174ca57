import type pg from 'pg';
import { openAs } from '../../support/roles.ts';

/** Through which a person edits, and whether they may say a deed there. */
export interface SessionKind {
  name: 'owner' | 'admin';
  deeds: boolean;
  /** Whether they may make a function there, which lives as long as the session. */
  functions: boolean;
  /** Opens a session of this kind on the database. */
  open(databaseUrl: string): Promise<pg.Client>;
}

/** Each kind of session that the guards meet. */
export const sessionKinds: readonly SessionKind[] = [
  { name: 'owner', deeds: true, functions: true, open: (url) => openAs(url, 'owner') },
  { name: 'admin', deeds: false, functions: false, open: (url) => openAs(url, 'admin') },
];
