import { spawnSync } from 'node:child_process';
import { chownSync, closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, type OwnServer, type OwnServerOptions, startOwnServer } from './server.ts';

/** A server of which a part lives on a disk that can be filled, and freed again. */
export interface SmallDisk {
  server: OwnServer;
  /** Where the disk is, as the server sees it. */
  folder: string;
  /** How the disk was made. */
  means: string;
  /** Leaves no byte free. */
  fill(): void;
  /** Frees what `fill` took. */
  free(): void;
  /** Takes server and disk away. */
  remove(): Promise<void>;
}

/**
 * Starts a server that can reach a tmpfs of `megabytes`. Root mounts one; anybody else may in a user namespace, where
 * the server is then started.
 * @throws {Error} that names the requirement, where none of the two is allowed.
 */
export async function startOnSmallDisk(
  megabytes: number,
  options: OwnServerOptions = {},
): Promise<SmallDisk> {
  const mounted = join(makeFolder(), 'disk');
  mkdirSync(mounted);
  const mount = ['mount', '-t', 'tmpfs', '-o', `size=${megabytes}m,mode=755`, 'tmpfs', mounted];
  const byRoot = run(mount);
  const through = byRoot ? [] : [...namespace, 'sh', '-c', `${mount.join(' ')} && exec "$@"`, 'sh'];
  if (!byRoot && !run([...namespace, 'true']))
    throw new Error('a small disk needs root, or a kernel that lets users make namespaces (unshare --user)');
  const server = await startOwnServer({ ...options, through });
  const seen = (name: string) =>
    byRoot ? join(mounted, name) : join(`/proc/${server.pid()}/root`, mounted, name);
  const folder = join(mounted, 'part');
  mkdirSync(seen('part'));
  const { account } = server.instance;
  if (account !== null) chownSync(seen('part'), account.uid, account.gid);
  return {
    server,
    folder,
    means: byRoot ? 'mounted by root' : 'mounted in a user namespace',
    fill: () => fill(seen('filler')),
    free: () => rmSync(seen('filler'), { force: true }),
    async remove() {
      try {
        await server.remove();
      } finally {
        if (byRoot) run(['umount', '-l', mounted]);
      }
    },
  };
}

const namespace = ['unshare', '--user', '--map-current-user', '--keep-caps', '--mount'];

const run = ([command = '', ...args]: readonly string[]): boolean =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0;

function fill(file: string): void {
  const target = openSync(file, 'a');
  try {
    // The rest of the last block, too: what is left over is less than a page.
    for (const size of [1 << 20, 4096]) writeUntilFull(target, Buffer.alloc(size));
  } finally {
    closeSync(target);
  }
}

function writeUntilFull(target: number, chunk: Buffer): void {
  for (;;) {
    try {
      if (writeSync(target, chunk) < chunk.length) return;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') return;
      throw error;
    }
  }
}
