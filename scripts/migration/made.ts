import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { sessionNamed } from '../../packages/db/src/connection/session-name.ts';
import { madeSql, readCatalog } from '../../packages/db/src/made/index.ts';
import { repositoryRoot } from '../../packages/db/src/root.ts';

/** Where what is made of the table of tables is kept. */
export const madeFolder = join(repositoryRoot, 'prisma', 'sql', 'made');

/**
 * Writes `prisma/sql/made` for a database that has all migrations, and removes files of tables that are gone. Gives the paths that
 * it changed. Throws {Error} where the rows of packages/db/src/tables do not fit the database.
 */
export async function writeMadeSql(databaseUrl: string): Promise<string[]> {
  const files = await readMade(databaseUrl);
  mkdirSync(madeFolder, { recursive: true });
  const present = readdirSync(madeFolder).filter(isMade);
  const gone = present.filter((name) => !files.has(name));
  for (const name of gone) rmSync(join(madeFolder, name));
  const changed = [...files].filter(([name, text]) => {
    const path = join(madeFolder, name);
    return !existsSync(path) || readFileSync(path, 'utf8') !== text;
  });
  for (const [name, text] of changed) writeFileSync(join(madeFolder, name), text);
  return [...changed.map(([name]) => name), ...gone].map((name) => `prisma/sql/made/${name}`);
}

/** Whether a file of the folder is made of the table of tables; known_names.sql is of the API's tables. */
export const isMade = (name: string): boolean => name.endsWith('.sql') && name !== 'known_names.sql';

/** The contents of `prisma/sql/made` for a database that has all migrations, by the names of its files. */
export async function readMade(databaseUrl: string): Promise<ReadonlyMap<string, string>> {
  const client = new pg.Client(sessionNamed(databaseUrl, 'comanda-migrate'));
  await client.connect();
  try {
    return madeSql(await readCatalog(client));
  } finally {
    await client.end();
  }
}
