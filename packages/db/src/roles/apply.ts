import type pg from 'pg';
import { ownRelease } from '../release/build.ts';
import { readReleases } from '../release/history.ts';
import {
  closeFunctions,
  grantSql,
  otherGrants,
  presentGrants,
  type TableGrant,
  tableGrants,
} from './grants.ts';
import { roleKinds, roleName } from './names.ts';
import { setupStatements } from './setup.ts';

type Client = Pick<pg.ClientBase, 'query'>;

/** All SQL of the roles of a prefix, as `comanda db roles` prints it: first for a role that may create roles, then for the owner. */
export function rolesSql(prefix: string): { setup: string[]; grants: string[] } {
  return {
    setup: setupStatements(prefix),
    grants: [...grantSql('grant', tableGrants(prefix)), closeFunctions, ...otherGrants(prefix)],
  };
}

/** Makes the roles in one transaction, and grants nothing on tables. The session may make roles and grant on the database. */
export async function makeRoles(client: Client, prefix: string): Promise<void> {
  await inTransaction(client, async () => {
    for (const statement of setupStatements(prefix)) await client.query(statement);
  });
}

/**
 * Makes the roles, and grants their privileges on existing objects. The session may make roles and grant on the
 * database, and is, or may make itself, a member of the role that owns the tables. Gives whether anything was granted:
 * where the database was not brought to this build, its next `comanda migrate` does that.
 */
export async function applyRoles(client: Client, prefix: string): Promise<boolean> {
  await makeRoles(client, prefix);
  return inTransaction(client, async () => {
    await client.query(`set local role ${roleName(prefix, 'owner')}`);
    return grantToRoles(client, prefix, ownRelease());
  });
}

/**
 * Brings the privileges of the roles to the table of access, where `release` is what the database was brought to last:
 * one that is behind lacks tables and columns, and privileges granted by a newer release are not for this one to
 * revoke. Changes nothing that is so already; returns whether the release is that one. For a session that owns the
 * tables, in a transaction; where that is not the owner of the prefix, one role does everything and no other role gets
 * any privilege.
 */
export async function grantToRoles(client: Client, prefix: string, release: string): Promise<boolean> {
  const [latest] = await readReleases(client);
  if (latest?.release !== release) return false;
  await client.query(closeFunctions);
  const { rows } = await client.query<{ owner: boolean; roles: number }>(
    `select current_user = $1 as owner, (select count(*)::int from pg_roles where rolname = any ($2)) as roles`,
    [roleName(prefix, 'owner'), roleKinds.map((kind) => roleName(prefix, kind))],
  );
  if (rows[0]?.owner === true && rows[0].roles === roleKinds.length) await grant(client, prefix);
  return true;
}

async function inTransaction<Result>(client: Client, work: () => Promise<Result>): Promise<Result> {
  await client.query('begin');
  try {
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

async function grant(client: Client, prefix: string): Promise<void> {
  const roles = roleKinds.slice(1).map((kind) => roleName(prefix, kind));
  const present = async () => (await client.query<TableGrant>(presentGrants, [roles])).rows;
  const wanted = tableGrants(prefix);
  for (const statement of grantSql('revoke', without(await present(), wanted))) await client.query(statement);
  // Taken from a table, a privilege goes from each of its columns, too: so missing ones are looked for last.
  for (const statement of [...grantSql('grant', without(wanted, await present())), ...otherGrants(prefix)])
    await client.query(statement);
}

/** Those of `some` that are not among `others`. */
function without(some: readonly TableGrant[], others: readonly TableGrant[]): TableGrant[] {
  const name = ({ role, table, privilege, column }: TableGrant) =>
    [role, table, privilege, column ?? ''].join(' ');
  const known = new Set(others.map(name));
  return some.filter((each) => !known.has(name(each)));
}
