import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '@comanda/db';
import { migrate } from '../../packages/db/src/migrations/migrate.ts';
import { startEmbedded } from '../../packages/embedded/src/server.ts';
import { postmasterOf, runSql } from '../setup.ts';
import { fillDatabase } from './fill.ts';
import type { Size } from './sizes.ts';

/** ENCRYPTION_KEY of both databases. */
export const encryptionKey = Buffer.alloc(32, 7).toString('base64');

/** Settings while rows are written that may be lost: a crash of the machine loses the folder. */
const filling = {
  ...{ fsync: 'off', full_page_writes: 'off', wal_level: 'minimal', max_wal_senders: '0', autovacuum: 'off' },
  ...{ shared_buffers: '2GB', max_wal_size: '6GB', checkpoint_timeout: '30min', jit: 'off' },
};

/** A server with two filled databases. */
export interface Filled {
  /** Connection strings, by name. */
  urls: Readonly<Record<'few' | 'many', string>>;
  /** Process id of the server. */
  postmaster: number;
  stop(): Promise<void>;
}

/** Fills both databases below `directory`, unless a run before this one has, and starts a server as `npm start` would. */
export async function openFilled(
  directory: string,
  sizes: Readonly<Record<'few' | 'many', Size>>,
  log: (line: string) => void,
): Promise<Filled> {
  const dataDir = join(directory, 'grown');
  const markOf = (name: string) => join(directory, `${name}.done`);
  const missing = (['few', 'many'] as const).filter((name) => !existsSync(markOf(name)));
  mkdirSync(directory, { recursive: true });
  // PostgreSQL may run as another account.
  chmodSync(directory, 0o711);
  const urlOf = (url: string, name: string) => url.replace(/\/comanda$/, `/${name}`);
  if (missing.length > 0) {
    const server = await startEmbedded({ dataDir, settings: filling });
    try {
      for (const name of missing) {
        const found = await runSql(server.url, 'select from pg_database where datname = $1', [name]);
        // A run that was cut short left one.
        if (found.length === 0) await runSql(server.url, `create database ${name}`);
        await migrate(urlOf(server.url, name));
        const say = (line: string) => log(`${name}: ${line}`);
        await fillDatabase(urlOf(server.url, name), {
          directory,
          size: sizes[name],
          encryptionKey,
          log: say,
        });
        writeFileSync(markOf(name), '');
      }
    } finally {
      await server.stop();
    }
  }
  const server = await startEmbedded({ dataDir });
  const urls = { few: urlOf(server.url, 'few'), many: urlOf(server.url, 'many') };
  // An older build may have filled them.
  for (const url of Object.values(urls)) await migrate(url);
  return {
    urls,
    postmaster: await postmasterAt(server.url),
    stop: () => server.stop(),
  };
}

async function postmasterAt(url: string): Promise<number> {
  const database = openDatabase({ url, poolSize: 1, applicationName: 'comanda-bench' });
  try {
    return await postmasterOf(database);
  } finally {
    await database.close();
  }
}
