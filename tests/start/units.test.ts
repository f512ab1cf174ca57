import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nodeFlags } from '../../packages/db/src/node-flags.ts';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { settingsTable } from '../../packages/db/src/settings.ts';

const ops = join(repositoryRoot, 'ops');
const units = readdirSync(join(ops, 'systemd')).filter((name) => name.endsWith('.service'));
const known = Object.values(settingsTable).flatMap(({ variable }) => [variable, `${variable}_FILE`]);

describe('the files of ops/', () => {
  it('name only settings that there are', () => {
    const texts = [
      'Dockerfile',
      'compose.yaml',
      'systemd/environment.example',
      ...units.map((name) => `systemd/${name}`),
    ];
    const named = texts.flatMap((file) => {
      const text = readFileSync(join(ops, file), 'utf8').replaceAll(/^\s*#.*$/gm, '');
      return [...text.matchAll(/\b([A-Z][A-Z_]{2,})(?==|: )/g)].map(([, name = '']) => ({ file, name }));
    });
    const foreign = /^(POSTGRES_\w+|FROM|RUN|CMD|ENV|COPY|USER|EXPOSE|WORKDIR)$/;
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter(({ name }) => !known.includes(name) && !foreign.test(name))).toEqual([]);
  });

  it('are units that systemd takes without a word', () => {
    expect(units).toHaveLength(3);
    if (spawnSync('systemd-analyze', ['--version']).error !== undefined) {
      console.info('systemd-analyze is not here: the units were not verified');
      return;
    }
    for (const unit of units) {
      const { stdout, stderr, status } = spawnSync(
        'systemd-analyze',
        ['verify', '--man=no', join(ops, 'systemd', unit)],
        {
          encoding: 'utf8',
        },
      );
      const words = `${stdout}${stderr}`.split('\n').filter((line) => line.includes(unit));
      // What it starts is not installed here.
      expect(
        words.filter((line) => !/is not executable: No such file/.test(line)),
        `${status}`,
      ).toEqual([]);
    }
  });

  it('start what npm run package makes, with the flags that npm start gives', () => {
    const flags = nodeFlags('worker');
    expect(flags).not.toEqual([]);
    for (const file of ['compose.yaml', 'systemd/comanda-worker.service'])
      expect(readFileSync(join(ops, file), 'utf8').replaceAll(',', '')).toContain(flags.join(' '));
  });
});
