import { describe, expect, it } from 'vitest';
import { ended, finish, startRun, until } from '../../../tests/start/run.ts';
import { useClosed } from '../../../tests/support/use.ts';
import { useWorkerKit } from '../../../tests/worker/kit.ts';
import { refusalOf, settingsOf, startStudio } from './run.ts';

const kit = useWorkerKit();
const ana = useClosed(() => startStudio(kit.url, ['--as', 'ana', '--edit']));

describe('npm run studio', () => {
  it.each([
    [['--port', '99999'], '--port: must be from 1 to 65535'],
    [['--as', 'comanda-api'], '--as: a name of 1 to 40 letters'],
    [['--as', 'ana; drop'], '--as: a name of 1 to 40 letters'],
    [['--reed-only'], "Unknown option '--reed-only'"],
    [['--location', 'Nowhere'], '--location: there is no location Nowhere (comanda locations list)'],
  ])('says what is wrong with %j', async (args, said) => {
    expect(await refusalOf(args, kit.url)).toContain(said);
  });

  it('says so when the port is taken', async () => {
    const { port } = new URL(ana.origin);
    expect(await refusalOf(['--port', port], kit.url)).toBe(`--port: ${port} is taken`);
  });

  it('does not open as the service, which no guard stops', async () => {
    for (const role of ['service', 'owner'] as const)
      expect(await refusalOf([], kit.url, role)).toMatch(
        new RegExp(`^DATABASE_URL is \\w+_${role}'s: give Studio that of \\w+_reader, or of a role that`),
      );
  });

  it('reads as an admin whose login is no reader', async () => {
    const run = await startStudio(kit.url, [], 'admin');
    expect(run.output()).toMatch(/as studio, \w+_admin, reads only \(--edit to edit\)/);
    expect((await run.query('delete from "public"."products" where true')).refusal?.message).toMatch(
      /This Studio only reads/,
    );
    expect(await run.close()).toBe(0);
    await expect(fetch(run.origin)).rejects.toThrow();
  });

  it('as a process ends on SIGINT with exit code 0 and nothing left, and with 1 where no database runs', async () => {
    const start = (env: Record<string, string> = {}) =>
      startRun({ dataDir: '/nonexistent/comanda', port: 0, env, script: 'extras/studio/studio.mjs' });
    const [run, lost] = [start(settingsOf(kit.url, 'reader')), start()];
    expect(await ended(lost)).toBe(1);
    expect(lost.output()).toContain('comanda: no running database: run npm start first, or set DATABASE_URL');
    await until(() => run.output().includes('Ctrl-C ends it') || run.process.exitCode !== null);
    const [address = ''] = run.output().match(/http:\/\/\S+/) ?? [];
    expect((await fetch(address)).status).toBe(200);
    expect(await finish(run, 'SIGINT')).toBe(0);
    await expect(fetch(address)).rejects.toThrow();
  });
});
