import type { RoleKind } from '@comanda/db';
import { makeRoles, roleKinds, roleName, sessionNamed } from '@comanda/db';
import pg from 'pg';
import { instanceUrl, noteInstance, readInstance, rolePassword, roleUrlOf } from './instance.ts';
import { verifier } from './password.ts';

/**
 * Makes the four roles of the server that runs in `dataDir` and lets them log in; gives their connection strings. Migrations
 * grant what the roles may do: before them, tables and columns of this version may be missing. Passwords reach the server as
 * SCRAM verifiers, so that no log of statements holds one.
 * @throws {Error} no server of `dataDir` has ever run.
 */
export async function embeddedRoles(dataDir: string, prefix: string): Promise<Record<RoleKind, string>> {
  const instance = readInstance(dataDir);
  if (instance === null || instance.port === null) throw new Error(`${dataDir} holds no database`);
  const client = new pg.Client(sessionNamed(instanceUrl(instance, instance.port), 'comanda'));
  client.on('error', () => {});
  await client.connect();
  try {
    await makeRoles(client, prefix);
    for (const kind of roleKinds) {
      const name = roleName(prefix, kind);
      const { rows } = await client.query<{ verifier: string | null }>(
        'select rolpassword as verifier from pg_authid where rolname = $1',
        [name],
      );
      const password = rolePassword(instance, name);
      if (!opens(password, rows[0]?.verifier ?? ''))
        await client.query(`alter role ${name} login password '${verifier(password)}'`);
    }
  } finally {
    await client.end();
  }
  instance.rolePrefix = prefix;
  noteInstance(instance);
  const { port } = instance;
  const url = (kind: RoleKind) => roleUrlOf(instance, port, kind);
  return { owner: url('owner'), service: url('service'), admin: url('admin'), reader: url('reader') };
}

function opens(password: string, known: string): boolean {
  const [, rounds, salt] = /^SCRAM-SHA-256\$(\d+):([^$]+)\$/.exec(known) ?? [];
  return salt !== undefined && verifier(password, Buffer.from(salt, 'base64'), Number(rounds)) === known;
}
