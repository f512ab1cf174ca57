import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operationsOf } from '@comanda/api';
import { appRouter } from '@comanda/api/router';
import { migrate, repositoryRoot } from '@comanda/db';
import { startEmbedded } from '@comanda/embedded';
import { reasonsText } from '../../packages/api/src/documents/site/errors-page.ts';
import { writeMadeSql } from '../migration/made.ts';
import { apiTables } from './api-tables.ts';
import { writeExampleCode } from './example-code.ts';
import { knownNames } from './known-names.ts';
import { eventTypesFile, eventTypesModule, permissionsFile, permissionsModule } from './permissions.ts';
import { documentsWithRows, writeRowTables } from './row-tables.ts';

/** Writes the generated files, below `root`: SQL and parts of documents; returns the names of the files. */
export async function main(root: string): Promise<string[]> {
  writeFileSync(join(root, namesFile), knownNames());
  const made = await makeSql();
  const files: Record<string, string> = {
    'docs/api.md': apiTables(operationsOf(appRouter)),
    'docs/errors.md': reasonsText(),
    [permissionsFile]: permissionsModule(),
    [eventTypesFile]: eventTypesModule(),
  };
  mkdirSync(join(root, 'docs'), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  writeRowTables(root);
  writeExampleCode(root);
  const sources = Object.keys(files).filter((name) => name.endsWith('.ts'));
  execFileSync(process.execPath, [biome, 'format', '--write', ...sources], { cwd: root, stdio: 'pipe' });
  return [namesFile, ...made, ...Object.keys(files), ...documentsWithRows];
}

const namesFile = 'prisma/sql/made/known_names.sql';

const biome = 'node_modules/@biomejs/biome/bin/biome';

/** Writes the SQL that is made of the tables, as a PostgreSQL that is thrown away has them. Returns the files. */
async function makeSql(): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'comanda-docs-'));
  // The database server of a root run is another user and must be able to pass.
  chmodSync(folder, 0o711);
  const server = await startEmbedded({ dataDir: join(folder, 'postgres') });
  try {
    await migrate(server.url, { directory: join(repositoryRoot, 'prisma', 'migrations') });
    return await writeMadeSql(server.url);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
