import type pg from 'pg';
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

/** All SQL of the roles of a prefix, as `comanda db roles` prints it: first for who makes roles, then for the owner. */
export function rolesSql(prefix: string): { setup: string[]; grants: string[] } {
  return {
    setup: setupStatements(prefix),
    grants: [...grantSql('grant', tableGrants(prefix)), closeFunctions, ...otherGrants(prefix)],
  };
}

/**
 * Makes the roles, and grants what there is to grant, in one transaction. The session may make roles and grant on the
 * database, and is, or may make itself, a member of whoever owns the tables. Gives whether tables were there to grant on.
 */
export async function applyRoles(client: Client, prefix: string): Promise<boolean> {
  await client.query('begin');
  try {
    for (const statement of setupStatements(prefix)) await client.query(statement);
    const { rows } = await client.query<{ there: boolean }>(
      `select to_regclass('internal.sql_releases') is not null as there`,
    );
    const there = rows[0]?.there === true;
    if (there) {
      await client.query(`set local role ${roleName(prefix, 'owner')}`);
      await grantToRoles(client, prefix);
    }
    await client.query('commit');
    return there;
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

/**
 * Brings what the roles may do to what the table of access says; changes nothing that is so already. For a session that
 * owns the tables, in a transaction; where that is not the owner of the prefix, one role does everything and nobody else
 * gets anything.
 */
export async function grantToRoles(client: Client, prefix: string): Promise<void> {
  await client.query(closeFunctions);
  const { rows } = await client.query<{ owner: boolean; roles: number }>(
    `select current_user = $1 as owner, (select count(*)::int from pg_roles where rolname = any ($2)) as roles`,
    [roleName(prefix, 'owner'), roleKinds.map((kind) => roleName(prefix, kind))],
  );
  if (rows[0]?.owner === true && rows[0].roles === roleKinds.length) await grant(client, prefix);
}

async function grant(client: Client, prefix: string): Promise<void> {
  const roles = roleKinds.slice(1).map((kind) => roleName(prefix, kind));
  const present = async () => (await client.query<TableGrant>(presentGrants, [roles])).rows;
  const wanted = tableGrants(prefix);
  for (const statement of grantSql('revoke', without(await present(), wanted))) await client.query(statement);
  // Taken from a table, a privilege goes from each of its columns, too: so what is missing is looked for afterwards.
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
