import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';

/** The user that the server runs as when we are root, whom PostgreSQL refuses. */
export interface Account {
  uid: number;
  gid: number;
}

/** Accounts to run as, best first; a cluster that exists keeps its owner in any case. */
const candidates = ['postgres', '_postgres', 'nobody'] as const;

/**
 * The account that the server of `cluster` runs as: null means our own.
 * @throws {Error} when we are root and the system knows no unprivileged user.
 */
export function serverAccount(cluster: string): Account | null {
  if (process.getuid?.() !== 0) return null;
  const owner = statSync(cluster, { throwIfNoEntry: false });
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  for (const name of candidates) {
    const uid = lookUp('-u', name);
    const gid = lookUp('-g', name);
    if (uid !== null && gid !== null && uid !== 0) return { uid, gid };
  }
  throw new Error(
    'PostgreSQL does not run as root and there is no user postgres or nobody: run as a normal user, or set DATABASE_URL',
  );
}

/** Whether the account can enter `folder`: asked of the system itself, which also knows ACLs and mounts. */
export function canEnter(account: Account | null, folder: string): boolean {
  const ids = account === null ? {} : { uid: account.uid, gid: account.gid };
  return (
    spawnSync('/bin/sh', ['-c', 'cd -- "$0"', folder], { ...ids, cwd: '/', stdio: 'ignore' }).status === 0
  );
}

function lookUp(flag: '-u' | '-g', name: string): number | null {
  const { status, stdout } = spawnSync('id', [flag, name], { encoding: 'utf8' });
  return status === 0 && /^\d+$/.test(stdout.trim()) ? Number(stdout) : null;
}
