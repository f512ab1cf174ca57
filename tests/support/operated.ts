import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import type { RoleKind } from '../../packages/db/src/roles/access.ts';
import { roleKinds } from '../../packages/db/src/roles/names.ts';
import { quoteName, runOnce, urlOfDatabase } from './server.ts';
import { useClosed } from './use.ts';

/** An empty database of a role that may make roles and is no superuser, as those who rent one have it. */
export interface Operated {
  /** The prefix of its roles, of which none is made yet. */
  prefix: string;
  database: string;
  operator: string;
  /** The URL of one of its roles, with a password. */
  url(role: RoleKind | 'operator'): string;
  /** Gives the four roles a password, which a command that makes them does not. */
  letIn(): Promise<void>;
  close(): Promise<void>;
}

/** One for the tests of a file, or of a `describe`. */
export const useOperated = (): Operated => useClosed(operated);

const password = 'operators-of-tests-need-no-secret';

async function operated(): Promise<Operated> {
  const admin = inject('adminUrl');
  const prefix = `${inject('databasePrefix')}_o${randomBytes(4).toString('hex')}`;
  const [database, operator] = [`${prefix}_db`, `${prefix}_operator`];
  const url = (role: RoleKind | 'operator'): string =>
    Object.assign(new URL(urlOfDatabase(admin, database)), { username: `${prefix}_${role}`, password }).href;
  await runOnce(admin, `create role ${operator} login createrole password '${password}'`);
  await runOnce(admin, `create database ${quoteName(database)} owner ${operator}`);
  return {
    prefix,
    database,
    operator,
    url,
    async letIn() {
      for (const kind of roleKinds)
        await runOnce(url('operator'), `alter role ${prefix}_${kind} login password '${password}'`);
    },
    async close() {
      await runOnce(admin, `drop database if exists ${quoteName(database)} with (force)`);
      for (const kind of [...roleKinds, 'operator'])
        await runOnce(admin, `drop role if exists ${prefix}_${kind}`);
    },
  };
}
