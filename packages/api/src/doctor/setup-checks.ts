import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  createSecretBox,
  openDatabase,
  parseEncryptionKeys,
  prefixWarning,
  readEncryptionKeyFile,
  readSchemaState,
  type Settings,
  sessionRole,
  settingWarnings,
  whereItLeads,
} from '@comanda/db';
import { beyondMemory, littleMemory } from '../metrics/statements.ts';
import { type Check, count, type Finding, failed, ok, unknown, warning, wrong } from './check.ts';
import { disk, isEmbedded } from './disk-check.ts';
import { sessionsOfPeople } from './roles-check.ts';
import * as sql from './statements.ts';

const oldestVersion = 15;

/** The setup: version, schema, keys, disk. */
export async function setupChecks(settings: Settings): Promise<readonly Check[]> {
  const checks = (await isEmbedded(settings)) ? [...everywhere, disk] : everywhere;
  return settings.databaseDirectUrl === undefined ? checks : [...checks, pooler];
}

const everywhere: readonly Check[] = [
  {
    name: 'database',
    means: `It is PostgreSQL ${oldestVersion} or later.`,
    advice: 'Point DATABASE_URL at a newer server.',
    async run({ database }) {
      const [row] = await database.run(sql.version, []);
      const text = `PostgreSQL ${row?.text}`;
      return (row?.number ?? 0) >= oldestVersion * 10_000 ? ok(text) : wrong(text);
    },
  },
  {
    name: 'migrations',
    means: 'The database has the tables, functions and triggers that this version needs.',
    advice:
      'comanda migrate applies what is pending, and so does npm start. A migration that only the database knows comes from a newer version: run that one. A file that was changed must be restored.',
    async run({ database }) {
      const { missing, unknown, sql, problem } = await readSchemaState(database.pool);
      if (problem !== undefined) return wrong(problem);
      if (missing.length > 0)
        return wrong(`${count(missing.length, 'migration')} pending: ${missing.join(', ')}`);
      if (sql === 'missing') return wrong('functions and triggers of this version are pending');
      if (sql === 'followed')
        return warning('the database has functions and triggers of another version, after those of this one');
      if (unknown.length > 0)
        return warning(`the database knows more than this version: ${unknown.join(', ')}`);
      return ok('all applied');
    },
  },
  {
    name: 'roles',
    means: 'The service cannot change tables, functions and triggers: another role owns them.',
    advice:
      'comanda db roles prints the SQL that makes the four; give their owner to DATABASE_OWNER_URL, the service to DATABASE_URL (docs/operations/roles.md).',
    async run({ settings, database }) {
      const { databaseRolePrefix } = settings;
      const [row] = await database.run(sessionRole, [databaseRolePrefix]);
      if (row === undefined) return unknown('the session has no role');
      const unfit = prefixWarning(row, databaseRolePrefix);
      if (row.owns)
        return warning([`one role does everything: ${row.name}`, unfit].filter(Boolean).join('; '));
      return unfit === undefined ? ok(`it runs as ${row.name}`) : warning(unfit);
    },
  },
  sessionsOfPeople,
  {
    name: 'secrets',
    means: 'The present ENCRYPTION_KEY opens every signing secret.',
    advice:
      'Set ENCRYPTION_KEY to what it was when they were made, as a further key behind the first; or rotate the secret of each endpoint that is named.',
    async run({ settings, database }) {
      const text = settings.encryptionKey ?? readEncryptionKeyFile(settings.dataDir);
      const rows = await database.run(sql.sealedSecrets, []);
      if (text === null) {
        return rows.length === 0
          ? ok('no ENCRYPTION_KEY yet, and no secret that would need it')
          : wrong(`ENCRYPTION_KEY is not set, and ${count(rows.length, 'secret')} cannot be opened`);
      }
      const box = createSecretBox(parseEncryptionKeys(text));
      const opens = ({ locationId, endpointId, keyId, sealed }: (typeof rows)[number]) => {
        try {
          box.open({ keyId, sealed }, { locationId, endpointId });
          return true;
        } catch {
          return false;
        }
      };
      const closed: typeof rows = [];
      for (const [index, row] of rows.entries()) {
        // An API that watches its checks serves meanwhile.
        if (index % 100 === 0) await nextTurn();
        if (!opens(row)) closed.push(row);
      }
      if (closed.length === 0) return ok(`${count(rows.length, 'secret')} opened`);
      const endpoints = [...new Set(closed.map(({ endpointId }) => endpointId))];
      const shown = endpoints.slice(0, 5).join(', ');
      return wrong(
        `${closed.length} of ${count(rows.length, 'secret')} cannot be opened, of endpoints ${shown}`,
      );
    },
  },
  {
    name: 'writing',
    means: 'The database lets itself be written to.',
    advice:
      'A standby, or a database set read-only: point DATABASE_URL (and DATABASE_DIRECT_URL) at the primary, see default_transaction_read_only.',
    async run({ database }) {
      try {
        await database.transaction(undefined, async (tx) => {
          await tx.run(sql.writeSomething, []);
          // A page with room takes a write on a full disk.
          await tx.run(littleMemory, []);
          await tx.run(beyondMemory, []);
          throw new WroteError();
        });
      } catch (error) {
        if (!(error instanceof WroteError)) return failed('wrong', 'it cannot be written to', error);
      }
      return ok('it can be written to');
    },
  },
  {
    name: 'signing',
    means: 'Every worker opens the signing secrets of the endpoints that it serves.',
    advice: 'Give every worker the same ENCRYPTION_KEY, and restart it. Until then the others deliver.',
    async run({ database }) {
      const rows = await database.run(sql.workersThatCannotSign, []);
      if (rows.length === 0) return ok('every worker signs');
      const found = rows.map(
        ({ host, pid, endpoints }) =>
          `${host}:${pid} cannot sign for ${count(endpoints.length, 'endpoint')}: ${endpoints.slice(0, 5).join(', ')}`,
      );
      return wrong(found.join('; '));
    },
  },
];

/** Files written for a test are removed. */
class WroteError extends Error {}

const pooler: Check = {
  name: 'pooler',
  means: 'The pooler that requests go through answers, and leads to the same database as the same role.',
  advice:
    'Start it, or see where DATABASE_URL leads and where DATABASE_DIRECT_URL does. ops/pgbouncer/limits.sql makes the settings that a role lacks.',
  async run({ settings, database }) {
    const url = settings.databaseUrl ?? '';
    const pooled = openDatabase({ url, poolSize: 1, applicationName: 'comanda-doctor', unnamed: true });
    try {
      const [here] = await pooled.run(whereItLeads, []);
      const [direct] = await database.run(whereItLeads, []);
      if (here?.epoch !== direct?.epoch) return wrong('it leads to another database');
      if (here?.name !== direct?.name)
        return warning(`requests run as ${here?.name}, all else as ${direct?.name}`);
      const [unset] = await pooled.run(sql.unsetForRequests, []);
      return unset?.names
        ? warning(`it passes no settings on, and the role ${here?.name} lacks ${unset.names}`)
        : ok(`it answers, as ${here?.name}`);
    } catch (error) {
      return failed('wrong', 'it cannot be reached', error);
    } finally {
      await pooled.close();
    }
  },
};

/** The finding for the settings by themselves. */
export function judgeSettings(settings: Settings): Finding {
  const warnings = settingWarnings(settings);
  return warnings.length === 0 ? ok('nothing that bites') : warning(warnings.join('; '));
}
