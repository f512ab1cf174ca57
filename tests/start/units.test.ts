import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nodeFlags } from '../../packages/db/src/processes/node-flags.ts';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { settingsTable } from '../../packages/db/src/settings/settings.ts';
import { groups } from '../../scripts/build.mjs';

const ops = join(repositoryRoot, 'ops');
const units = readdirSync(join(ops, 'systemd')).filter((name) => name.endsWith('.service'));
const known = Object.values(settingsTable).flatMap(({ variable }) => [variable, `${variable}_FILE`]);

describe('the files of ops/', () => {
  it('name only settings that there are', () => {
    const texts = ['compose.yaml', 'systemd/environment.example', ...units.map((name) => `systemd/${name}`)];
    const named = texts.flatMap((file) => {
      const text = readFileSync(join(ops, file), 'utf8').replaceAll(/^\s*#.*$/gm, '');
      return [...text.matchAll(/\b([A-Z][A-Z_]{2,})(?==|: )/g)].map(([, name = '']) => ({ file, name }));
    });
    const foreign = /^(POSTGRES_\w+|FROM|RUN|CMD|USER)$/;
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter(({ name }) => !known.includes(name) && !foreign.test(name))).toEqual([]);
  });

  // A misspelled key is no error to systemd: it starts the unit without it.
  it('are units of known sections and keys, which start what is there', () => {
    expect(units).toHaveLength(3);
    for (const unit of units) {
      const read = readUnit(unit);
      expect(Object.keys(read), unit).toEqual(Object.keys(keysOf));
      for (const [section, lines] of Object.entries(read)) {
        const strange = lines.filter(([key]) => !keysOf[section]?.has(key));
        expect(strange, `${unit} [${section}]`).toEqual([]);
      }
      const named = Object.fromEntries(read.Service ?? []);
      const [program, ...words] = (named.ExecStart ?? '').split(' ');
      expect(program).toBe('/usr/bin/node');
      const started = words.find((word) => !word.startsWith('--')) ?? '';
      expect(Object.values(groups).flatMap((entries) => Object.keys(entries))).toContain(
        basename(started, '.js'),
      );
      const credentials = (read.Service ?? [])
        .filter(([key]) => key === 'LoadCredential')
        .map(([, value]) => value.split(':')[0]);
      const asked = (read.Service ?? []).flatMap(([, value]) =>
        [...value.matchAll(/%d\/([\w-]+)/g)].map(([, name]) => name),
      );
      expect(credentials.toSorted(), unit).toEqual(asked.toSorted());
    }
  });

  const analyze = spawnSync('systemd-analyze', ['--version']);
  it.skipIf(analyze.error !== undefined)(
    'are units that systemd takes without a word (skipped where there is no systemd-analyze)',
    () => {
      for (const unit of units) {
        const { stdout, stderr, status } = spawnSync(
          'systemd-analyze',
          ['verify', '--man=no', join(ops, 'systemd', unit)],
          { encoding: 'utf8' },
        );
        const words = `${stdout}${stderr}`.split('\n').filter((line) => line.includes(unit));
        // Its program is not installed here.
        expect(
          words.filter((line) => !/is not executable: No such file/.test(line)),
          `${status}`,
        ).toEqual([]);
      }
    },
  );

  it('start what npm run package makes, with the flags that npm start gives', () => {
    const flags = nodeFlags('worker');
    expect(flags).not.toEqual([]);
    for (const file of ['compose.yaml', 'systemd/comanda-worker.service'])
      expect(readFileSync(join(ops, file), 'utf8').replaceAll(',', '')).toContain(flags.join(' '));
  });
});

/** The keys that systemd.unit(5), systemd.service(5) and systemd.exec(5) have, of those that we use. */
const keysOf: Readonly<Record<string, ReadonlySet<string>>> = {
  Unit: new Set(words('Description Documentation After Before Wants StartLimitIntervalSec StartLimitBurst')),
  Service: new Set(
    words(`Type NotifyAccess TimeoutStartSec RemainAfterExit WorkingDirectory EnvironmentFile LoadCredential Environment ExecStart KillSignal
      TimeoutStopSec Restart RestartSec RestartPreventExitStatus LogRateLimitIntervalSec DynamicUser ProtectSystem ProtectHome PrivateTmp
      PrivateDevices ProtectKernelTunables ProtectKernelModules ProtectKernelLogs ProtectControlGroups ProtectClock
      ProtectHostname ProtectProc RestrictAddressFamilies RestrictNamespaces RestrictRealtime RestrictSUIDSGID
      LockPersonality NoNewPrivileges CapabilityBoundingSet SystemCallArchitectures SystemCallFilter UMask`),
  ),
  Install: new Set(['WantedBy']),
};

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

/** The lines of a unit by section; throws for what is neither a section, a comment nor `key=value`. */
function readUnit(unit: string): Record<string, [key: string, value: string][]> {
  const sections: Record<string, [string, string][]> = {};
  let lines: [string, string][] | undefined;
  for (const line of readFileSync(join(ops, 'systemd', unit), 'utf8').split('\n')) {
    if (/^(\s*$|[#;])/.test(line)) continue;
    const section = /^\[(\w+)\]$/.exec(line)?.[1];
    const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (section !== undefined) {
      lines = [];
      sections[section] = lines;
    } else if (key !== undefined && value !== undefined && lines !== undefined) lines.push([key, value]);
    else throw new Error(`${unit}: ${line}`);
  }
  return sections;
}
