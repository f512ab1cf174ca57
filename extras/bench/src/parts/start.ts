import { execFile, spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { commandOf, descendantsOf, memoryMiB } from '../cpu.ts';
import { type Figure, median } from '../figure.ts';
import type { Part } from '../part.ts';

const run = promisify(execFile);

/** `npm start` until the first request is served, in a fresh clone and again, what it keeps, and what is installed and shipped. */
export const start: Part = {
  name: 'start',
  summary:
    'npm start in a fresh clone and the second time; its memory at rest; installed packages; bytes of the package and of the packed client',
  rounds: 1,
  async open({ subject, small, log }) {
    return async () => {
      const { root, directory } = subject;
      const figures: Figure[] = [];
      // A clone installs every package, which tells nothing on tiny data.
      const folder = small ? root : join(directory, 'clone');
      const dataDir = join(directory, 'started');
      if (small) await startOnce(folder, dataDir);
      else {
        log('in a fresh clone');
        await run('git', ['clone', '--quiet', root, folder]);
        const kept: Figure[] = [];
        const ready = await startOnce(folder, dataDir, async (pid) => {
          await sleep(restMs);
          kept.push(...memoryOf(pid));
        });
        figures.push({
          work: 'npm start in a fresh clone: ready',
          value: ready,
          unit: ' s',
          goal: { most: 30 },
          note: 'of the last commit; packages from the store that pnpm keeps, or the registry',
        });
        figures.push(...kept);
      }
      log('again');
      const again: number[] = [];
      for (let repeat = 0; repeat < (small ? 1 : 5); repeat += 1)
        again.push(await startOnce(folder, dataDir));
      figures.push({
        work: 'npm start, second time: ready',
        value: median(again),
        unit: ' s',
        goal: { most: 2 },
      });
      const { packages, bytes } = installed(join(folder, 'node_modules'));
      const out = join(directory, 'packed');
      await run('npm', ['run', '--silent', 'client:pack', '--', '--out', out, 'client'], { cwd: folder });
      const packed = sizeOf(out);
      const service = join(directory, 'package');
      if (!small) await run('npm', ['run', '--silent', 'package', '--', '--out', service], { cwd: folder });
      return [
        ...figures,
        { work: 'installed packages', value: packages, unit: '' },
        { work: 'installed bytes', value: bytes / 1024 ** 2, unit: ' MiB' },
        ...(small
          ? []
          : [{ work: 'the package of the service', value: sizeOf(service) / 1024 ** 2, unit: ' MiB' }]),
        { work: 'the packed client', value: packed / 1024, unit: ' KiB' },
      ];
    };
  },
};

/** The bytes of the files in a folder. */
function sizeOf(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

/** Until the demo data is made, and a look for the site's generator has ended. */
const restMs = 20_000;

/** The memory of a start's processes but PostgreSQL: of all, and of those beside API and worker. */
function memoryOf(start: number): Figure[] {
  const all = [start, ...descendantsOf(start)].filter((pid) => !commandOf(pid).includes('postgres'));
  const others = all.filter((pid) => !/\/dist\/(api|worker)\.js/.test(commandOf(pid)));
  const work = 'npm start in a fresh clone: memory at rest';
  return [
    { work, value: memoryMiB(all), unit: ' MiB', note: `${all.length} processes, without PostgreSQL` },
    { work: `${work}, beside API and worker`, value: memoryMiB(others), unit: ' MiB' },
  ];
}

/** Counts the packages in a `node_modules` and those nested in them, and their bytes; links, hard ones too, count as nothing. */
function installed(modules: string): { packages: number; bytes: number } {
  const found = { packages: 0, bytes: 0 };
  const files = new Set<number>();
  const visit = (folder: string, parent: string) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isFile()) {
        const { ino, size } = statSync(path);
        if (!files.has(ino)) found.bytes += size;
        files.add(ino);
      }
      // Folders with a dot are tools' own: databases of tests, caches.
      if (!entry.isDirectory() || entry.name.startsWith('.')) continue;
      const isPackage = parent === 'node_modules' && !entry.name.startsWith('@');
      if (isPackage && existsSync(join(path, 'package.json'))) found.packages += 1;
      visit(path, parent === 'node_modules' && entry.name.startsWith('@') ? parent : entry.name);
    }
  };
  visit(modules, 'node_modules');
  return found;
}

/**
 * Starts it in a folder as a user would, stops it with SIGTERM after `atReady`; gives the seconds until /readyz answered
 * 200.
 */
async function startOnce(
  folder: string,
  dataDir: string,
  atReady: (pid: number) => Promise<void> = async () => {},
): Promise<number> {
  // Below those that outgoing connections take.
  const port = 20_000 + Math.floor(Math.random() * 12_000);
  const began = performance.now();
  const child = spawn('npm', ['start', '--silent'], {
    cwd: folder,
    env: { ...process.env, PORT: String(port), DATA_DIR: dataDir, LOG_LEVEL: 'warn' },
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  try {
    for (;;) {
      if (child.exitCode !== null) throw new Error(`npm start ended with ${child.exitCode}`);
      if (performance.now() - began > 600_000) throw new Error('npm start was not ready within ten minutes');
      const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
      if (answer?.status !== 200) {
        await sleep(10);
        continue;
      }
      const seconds = (performance.now() - began) / 1000;
      await atReady(child.pid ?? 0);
      return seconds;
    }
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}
