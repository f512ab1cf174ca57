import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from '@comanda/db';
import { type EmbeddedServer, embeddedUrl, forgetful, startEmbedded } from '@comanda/embedded';
import { embeddedRoles } from '@comanda/embedded/roles';

/** A migrated database of our own, in a server of its own. */
export interface PreparedDatabase {
  url: string;
  ownerUrl: string;
  /** Ends the server and removes its data. */
  remove(): Promise<void>;
}

const rolePrefix = 'comanda';

const settings = { ...forgetful, max_connections: '100' };

/** Starts a copy of the prepared database that is kept in `cacheDir`; prepares one when none fits. */
export async function startPrepared(cacheDir: string): Promise<PreparedDatabase> {
  const template = join(cacheDir, fingerprint());
  if (existsSync(template)) {
    try {
      return await startCopy(template);
    } catch {
      // Of another PostgreSQL, or not whole any more: it is made again.
      rmSync(template, { recursive: true, force: true });
    }
  }
  await prepare(template);
  return startCopy(template);
}

/** The inputs of the prepared database: the SQL, and the roles and grants in our own code. */
function fingerprint(): string {
  const hash = createHash('sha256').update(`${process.platform}-${process.arch}`);
  hash.update(readFileSync(process.argv[1] ?? ''));
  for (const folder of ['migrations', 'sql']) {
    const root = join(repositoryRoot, 'prisma', folder);
    const entries = readdirSync(root, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
    for (const file of files.sort()) hash.update(file.slice(root.length)).update(readFileSync(file));
  }
  return hash.digest('hex').slice(0, 16);
}

async function startCopy(template: string): Promise<PreparedDatabase> {
  const dataDir = newFolder();
  let server: EmbeddedServer | undefined;
  const remove = async () => {
    await server?.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    await copy(template, dataDir);
    server = await startEmbedded({ dataDir, settings });
    // Where the server's user cannot enter the folder it lives elsewhere, and was made there just now.
    if (server.created) await migrateAll(dataDir);
    const [url, ownerUrl] = await Promise.all([embeddedUrl(dataDir), embeddedUrl(dataDir, 'owner')]);
    if (url === null || ownerUrl === null) throw new Error(`${template} holds no database`);
    return { url, ownerUrl, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function prepare(template: string): Promise<void> {
  const dataDir = newFolder();
  const draft = `${template}.${process.pid}`;
  try {
    // Little of the log of changes is kept: it is copied each time.
    const small = { ...settings, min_wal_size: '32MB', max_wal_size: '32MB' };
    const server = await startEmbedded({ dataDir, settings: small });
    try {
      await migrateAll(dataDir);
    } finally {
      await server.stop();
    }
    mkdirSync(dirname(template), { recursive: true });
    await copy(dataDir, draft);
    renameSync(draft, template);
  } catch (error) {
    // Another start may have made it meanwhile.
    if (!existsSync(template)) throw error;
  } finally {
    for (const folder of [dataDir, draft]) rmSync(folder, { recursive: true, force: true });
  }
}

async function migrateAll(dataDir: string): Promise<void> {
  const { migrate, migrateQueue } = await import('@comanda/db/migrating');
  const { owner } = await embeddedRoles(dataDir, rolePrefix);
  await migrateQueue(owner);
  await migrate(owner, { rolePrefix });
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'comanda-testing-'));
  // Where root runs the tests, the server is another user and must be able to pass.
  if (process.getuid?.() === 0) chmodSync(folder, 0o711);
  return folder;
}

/** As `cp` does it, since a cluster's files keep their owner and mode. */
async function copy(from: string, to: string): Promise<void> {
  mkdirSync(to, { recursive: true });
  await promisify(execFile)('cp', ['-pR', `${from}/.`, to]);
}
