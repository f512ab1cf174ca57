import { describe, expect, it } from 'vitest';
import { useClosed } from '../support/use.ts';
import { useWorkerKit } from '../worker/kit.ts';
import { end, ended, startRun, startStudio } from './run.ts';

const kit = useWorkerKit();
const ana = useClosed(() => startStudio(kit.url, ['--as', 'ana', '--edit']));

describe('npm run studio', { timeout: 120_000 }, () => {
  it.each([
    [['--port', '99999'], '--port: must be from 1 to 65535'],
    [['--as', 'comanda-api'], '--as: a name of 1 to 40 letters'],
    [['--as', 'ana; drop'], '--as: a name of 1 to 40 letters'],
    [['--reed-only'], "Unknown option '--reed-only'"],
    [['--location', 'Nowhere'], '--location: there is no location Nowhere (comanda locations list)'],
  ])('says what is wrong with %j', async (args, said) => {
    const run = startRun(args, kit.url);
    expect(await ended(run)).toBe(1);
    expect(run.output()).toContain(`comanda: ${said}`);
  });

  it('says so when the port is taken', async () => {
    const second = startRun(['--port', new URL(ana.origin).port], kit.url);
    expect(await ended(second)).toBe(1);
    expect(second.output()).toContain(`--port: ${new URL(ana.origin).port} is taken`);
  });

  it('says so when no database runs', async () => {
    const lost = startRun([], undefined);
    expect(await ended(lost)).toBe(1);
    expect(lost.output()).toContain('no running database: run npm start first, or set DATABASE_URL');
  });

  it('does not open as the service, which no guard stops', async () => {
    for (const role of ['service', 'owner'] as const) {
      const run = startRun([], kit.url, role);
      expect(await ended(run)).toBe(1);
      expect(run.output()).toMatch(
        new RegExp(
          `^comanda: DATABASE_URL is \\w+_${role}'s: give Studio that of \\w+_reader, or of a role that`,
        ),
      );
    }
  });

  it('reads as an admin whose login is no reader', async () => {
    const run = await startStudio(kit.url, [], 'admin');
    expect(run.output()).toMatch(/as studio, \w+_admin, reads only \(--edit to edit\)/);
    expect((await run.query('delete from "public"."products" where true')).refusal?.message).toMatch(
      /This Studio only reads/,
    );
    expect(await end(run, 'SIGTERM')).toBe(0);
  });

  it.each([['SIGTERM'], ['SIGINT']] as const)(
    'ends on %s with exit code 0 and nothing left',
    async (signal) => {
      const run = await startStudio(kit.url);
      expect(await end(run, signal)).toBe(0);
      await expect(fetch(run.origin)).rejects.toThrow();
    },
  );
});
