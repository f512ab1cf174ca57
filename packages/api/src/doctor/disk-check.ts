import { statfs } from 'node:fs/promises';
import type { Settings } from '@comanda/db';
import { embeddedFolder, embeddedUrl } from '@comanda/embedded';
import { type Check, type Finding, ok, type Thresholds, warning, wrong } from './check.ts';

/** Of the embedded database: the disk of any other server is seen by that server alone. */
export const disk: Check = {
  name: 'disk',
  means: 'The disk of the embedded database has room.',
  advice: 'Free some space: a full disk stops every write.',
  async run({ settings: { dataDir }, thresholds }) {
    // PostgreSQL does not show its folder to the role of the service.
    const { bavail, blocks, bsize } = await statfs(embeddedFolder(dataDir) ?? dataDir);
    return judgeDisk(bavail * bsize, blocks * bsize, thresholds);
  },
};

/** Whether the settings lead to the embedded server, which `npm start` names to its processes by URL. */
export async function isEmbedded({ databaseUrl, dataDir }: Settings): Promise<boolean> {
  if (databaseUrl === undefined) return true;
  const embedded = await embeddedUrl(dataDir).catch(() => null);
  return embedded !== null && new URL(embedded).host === new URL(databaseUrl).host;
}

/** The finding for the free bytes of a disk. */
export function judgeDisk(free: number, size: number, { disk }: Pick<Thresholds, 'disk'>): Finding {
  const gigabytes = (free / 1024 ** 3).toFixed(1);
  const found = `${gigabytes} GiB free`;
  const share = size === 0 ? 0 : free / size;
  // A large disk with a small share may still have plenty; a small one with a large share has not.
  if (free < 256 * 1024 ** 2 || (share < disk.wrong && free < 5 * 1024 ** 3)) return wrong(found);
  return free < 1024 ** 3 || (share < disk.warning && free < 20 * 1024 ** 3) ? warning(found) : ok(found);
}
