import { CommandError } from '@comanda/api/src/command-error.ts';
import type { ErrorCode } from '@comanda/api/src/reasons.ts';
import {
  editUrl,
  makePersonLogin,
  type PersonLogin,
  PersonRefused,
  personName,
  type RemovedLogin,
  readSettings,
  removePersonLogin,
} from '@comanda/db';
import { forgetLogin, keepLogin, newPassword } from '@comanda/embedded';
import { z } from 'zod';
import type { Options, Work } from './command.ts';
import { parse } from './input.ts';
import { type RoleMaker, withRoleMaker } from './roles.ts';
import type { Lines } from './rows.ts';

const RoleOfPerson = z.enum(['admin', 'reader']).default('admin');

const codes: Readonly<Record<PersonRefused['why'], ErrorCode>> = {
  name: 'validation_error',
  absent: 'resource_not_found',
  taken: 'conflict',
  lacks: 'permission_denied',
};

/** The result of `comanda db roles person`: the connection string, with the password where it is a new one. */
type Person = PersonLogin & { url: string; new_password: boolean };
type Removed = RemovedLogin & { name: string };

/** `comanda db roles person` */
export const person: Work = {
  async runAlone(environment, options, [given = '']): Promise<Person | Removed> {
    const settings = readSettings(environment, { seals: false });
    try {
      const name = personName(settings.databaseRolePrefix, given);
      return await withRoleMaker<Person | Removed>(settings, (client, url) => {
        const embedded = settings.databaseUrl === undefined ? settings.dataDir : undefined;
        const at = { client, prefix: settings.databaseRolePrefix, url, embedded };
        return options.remove === undefined ? make(at, name, options) : remove(at, name);
      });
    } catch (error) {
      throw error instanceof PersonRefused ? new CommandError(codes[error.why], error.message) : error;
    }
  },
  show: (value) => ('url' in (value as object) ? made(value as Person) : gone(value as Removed)),
};

/** Where a login is made. */
interface At {
  client: RoleMaker;
  prefix: string;
  url: string;
  /** The data directory of one of our databases. */
  embedded: string | undefined;
}

async function make({ client, prefix, url, embedded }: At, name: string, options: Options): Promise<Person> {
  const role = parse(RoleOfPerson, options.role);
  const { password, verifier } = newPassword();
  const always = options['new-password'] !== undefined;
  const isNew = await makePersonLogin(client, prefix, { name, role }, { verifier, always });
  if (isNew && embedded !== undefined) keepLogin(embedded, name, password);
  const own = editUrl(url, (edited) => {
    edited.username = name;
    edited.password = isNew ? password : '';
    edited.searchParams.delete('application_name');
  });
  return { name, role, url: own, new_password: isNew };
}

async function remove({ client, prefix, embedded }: At, name: string): Promise<Removed> {
  const removed = await removePersonLogin(client, prefix, name);
  if (embedded !== undefined) forgetLogin(embedded, name);
  return { name, ...removed };
}

const made = ({ name, role, url, new_password }: Person): Lines => [
  url,
  new_password
    ? `${name} signs in as a member of role ${role}. The password is shown this once`
    : `${name} is there, a member of role ${role} with its bounds. The password stays: --new-password makes another`,
];

const gone = ({ name, removed, kept, sessions }: Removed): Lines => [
  !removed
    ? `there is no login ${name}`
    : kept
      ? `${name} has nothing to do here any more; the login stays, as it is a member of other roles`
      : `the login ${name} is gone; what ${name} did stays in the audit`,
  ...(sessions > 0 ? [`${sessions} sessions of ${name} are still open: end them as a superuser`] : []),
];
