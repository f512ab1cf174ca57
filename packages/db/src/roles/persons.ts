import pg from 'pg';
import { isState } from '../connection/database-errors.ts';
import { limitStatements } from './bounding.ts';
import type { BoundedRole } from './bounds.ts';
import { roleKinds, roleName } from './names.ts';

type Client = Pick<pg.ClientBase, 'query'>;

/** A login of one person, and what it is a member of. */
export interface PersonLogin {
  name: string;
  role: BoundedRole;
}

/** Why there is no such login; `lacks` is what the session may not do, `taken` a login or role that is not a person's here. */
export class PersonRefused extends Error {
  readonly why: 'name' | 'absent' | 'taken' | 'lacks';
  constructor(why: PersonRefused['why'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.why = why;
  }
}

/** A name that means something to PostgreSQL or to us; by one that begins with comanda guards may know the service. */
const reserved = /^(comanda|pg_)|^(public|none|current_role|current_user|session_user)$/;

/**
 * A login's name, as it was given.
 * @throws {PersonRefused} it is no plain identifier, or is not a person's to have.
 */
export function personName(prefix: string, name: string): string {
  if (!/^[a-z][a-z0-9_]{0,39}$/.test(name))
    throw new PersonRefused('name', 'must be 1 to 40 small letters, digits and _, and begin with a letter');
  if (
    reserved.test(name) ||
    roleKinds.some((kind) => name.endsWith(`_${kind}`)) ||
    name.startsWith(`${prefix}_`)
  )
    throw new PersonRefused(
      'name',
      `${name} is not a name for a person: it begins with comanda, ${prefix}_ or pg_, ends as the roles do, or is PostgreSQL's own`,
    );
  return name;
}

/** The form in which PostgreSQL stores a password; `always`: an existing login gets it, too. */
export interface NewPassword {
  verifier: string;
  always: boolean;
}

/**
 * Makes a login that is a member of a role and has its bounds; one that is there already is brought to them. Gives whether it
 * has the new password.
 * @throws {PersonRefused}
 */
export async function makePersonLogin(
  client: Client,
  prefix: string,
  { name, role }: PersonLogin,
  { verifier, always }: NewPassword,
): Promise<boolean> {
  const group = roleName(prefix, role);
  return changing(client, group, async () => {
    const { state, of, made } = await findLogin(client, prefix, name);
    if (!made.includes(role)) throw noRole(group);
    if (state === 'taken') throw taken(name, group);
    const [quoted, opens] = [pg.escapeIdentifier(name), `password ${pg.escapeLiteral(verifier)}`];
    if (state === 'free') await client.query(`create role ${quoted} login inherit ${opens}`);
    else if (always) await client.query(`alter role ${quoted} ${opens}`);
    // Of the two it has what was said last.
    for (const other of of.filter((each) => each !== role))
      await client.query(`revoke ${pg.escapeIdentifier(roleName(prefix, other))} from ${quoted}`);
    if (!of.includes(role)) await client.query(`grant ${pg.escapeIdentifier(group)} to ${quoted}`);
    for (const limit of limitStatements(name, role)) await client.query(limit);
    return state === 'free' || always;
  });
}

/** The outcome of dropping a login. */
export interface RemovedLogin {
  removed: boolean;
  /** It is a member of other roles, too: it lost what it had here, and is still there. */
  kept: boolean;
  /** Its sessions that are still open, as this one may not end them. */
  sessions: number;
}

/**
 * Drops the login of a person, and ends its sessions where the session may. Its changes stay in the audit. An
 * interrupted call is completed by the same call.
 * @throws {PersonRefused}
 */
export async function removePersonLogin(client: Client, prefix: string, name: string): Promise<RemovedLogin> {
  const group = roleName(prefix, 'admin');
  const quoted = pg.escapeIdentifier(name);
  const { state, of, elsewhere } = await findLogin(client, prefix, name);
  if (state === 'free') return { removed: false, kept: false, sessions: 0 };
  if (state === 'taken') throw taken(name, group);
  if (!elsewhere)
    await changing(client, group, () => client.query(`alter role ${quoted} connection limit 0`));
  // Before it is gone: a session that has taken the role of the group would keep what that may do.
  await client.query(endSessions, [name]).catch(() => {});
  const { rows } = await client.query<{ sessions: number }>(openSessions, [name]);
  await changing(client, group, async () => {
    for (const role of of)
      await client.query(`revoke ${pg.escapeIdentifier(roleName(prefix, role))} from ${quoted}`);
    if (!elsewhere) await client.query(`drop role ${quoted}`);
  });
  return { removed: true, kept: elsewhere, sessions: rows[0]?.sessions ?? 0 };
}

const ofLogin = 'from pg_stat_activity a where a.datname = current_database() and a.usename = $1';
const endSessions = `select pg_terminate_backend(a.pid, 5000) ${ofLogin}`;
const openSessions = `select count(*)::int as sessions ${ofLogin}`;

interface Found {
  /** A person's: a login that is a member of admin or reader, and may do nothing that these may not. */
  state: 'free' | 'person' | 'taken';
  of: BoundedRole[];
  /** Whether it is a member of roles that are not of this database. */
  elsewhere: boolean;
  /** The roles that there are. */
  made: string[];
}

async function findLogin(client: Client, prefix: string, name: string): Promise<Found> {
  const { rows } = await client.query<Found>(
    `with kinds as (
       select r.oid, k.kind from unnest($2::text[]) k (kind) join pg_roles r on r.rolname = $3 || '_' || k.kind
     ), found as (select * from pg_roles where rolname = $1),
     groups as (select m.roleid from pg_auth_members m where m.member = (select oid from found)),
     own as (select k.kind from kinds k where k.oid in (select roleid from groups))
     select case when not exists (select from found) then 'free'
         when exists (select from found where not rolcanlogin or rolsuper or rolcreaterole or rolreplication or rolbypassrls)
           or not exists (select from own) or exists (select from own where kind not in ('admin', 'reader')) then 'taken'
         else 'person' end as state,
       array(select kind from own) as of, array(select kind from kinds) as made,
       exists (select from groups where roleid not in (select oid from kinds)) as elsewhere`,
    [name, roleKinds, prefix],
  );
  const [found] = rows;
  if (found === undefined) throw new Error('a question about one login has one answer');
  return found;
}

/** In one transaction; an error names the privilege that the session lacks. */
async function changing<Result>(client: Client, group: string, work: () => Promise<Result>): Promise<Result> {
  await client.query('begin');
  try {
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => {});
    if (!(error instanceof Error) || !isState(error, 'notGranted')) throw error;
    throw new PersonRefused(
      'lacks',
      `this needs CREATEROLE, and from PostgreSQL 16 on ADMIN OPTION on ${group}: connect as the role that ran comanda db roles --apply (${error.message})`,
      { cause: error },
    );
  }
}

const noRole = (group: string) =>
  new PersonRefused('absent', `there is no role ${group}: comanda db roles --apply makes the roles`);

const taken = (name: string, group: string) =>
  new PersonRefused(
    'taken',
    `there is a role ${name} already, which is not a person's here: choose another name, or say grant ${group} to ${name} first where it is`,
  );
