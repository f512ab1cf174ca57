import { appendFileSync, chmodSync, chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { type Account, serverAccount } from '../../packages/embedded/src/account.ts';
import { runTool } from '../../packages/embedded/src/os-processes.ts';
import { choosePort } from '../../packages/embedded/src/port.ts';
import { noteProcess } from '../support/run-directory.ts';
import { postgresFolder, runProgram } from './programs.ts';

/** A server of the system's PostgreSQL that lets every user of this machine in by name. */
export interface Cluster {
  /** A folder of the test, removed with it. */
  home: string;
  /** The connection string of a database of it as a role. */
  url(role: string, database: string): string;
  /** Where its programs are. */
  programs: string;
  /** The account that it runs as; null is ours. */
  account: Account | null;
  /** Runs one of its programs as ourselves, such as pg_dump; throws what it said when it failed. */
  run(program: string, ...argv: string[]): string;
  /** Stops it and removes its data. */
  remove(): Promise<void>;
}

/** Makes one of `programs`, with the superuser `postgres`, and starts it; `settings` of its home are lines of postgresql.conf. */
export async function startCluster(
  settings: (home: string) => string = () => '',
  programs = postgresFolder(),
): Promise<Cluster> {
  const home = mkdtempSync(join(tmpdir(), 'comanda-outside-'));
  chmodSync(home, 0o755);
  const data = join(home, 'data');
  const account = serverAccount(data);
  if (account !== null) chownSync(home, account.uid, account.gid);
  const own = async (program: string, ...argv: string[]) => {
    const { code, output } = await runTool(join(programs, program), argv, account);
    if (code !== 0) throw new Error(`${program}: ${output}`);
  };
  await own('initdb', '-D', data, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C');
  const port = await choosePort(home, null);
  appendFileSync(
    join(data, 'postgresql.conf'),
    `\nlisten_addresses = '127.0.0.1'\nport = ${port}\nunix_socket_directories = ''\nfsync = off\n${settings(home)}\n`,
  );
  await own('pg_ctl', '-D', data, '-l', join(home, 'log'), '-w', 'start');
  const ended = noteProcess(
    inject('runDirectory'),
    Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]),
  );
  return {
    home,
    programs,
    account,
    url: (role, database) => `postgresql://${role}@127.0.0.1:${port}/${database}`,
    run: (program, ...argv) => runProgram(join(programs, program), argv),
    async remove() {
      await own('pg_ctl', '-D', data, '-m', 'fast', '-w', 'stop');
      ended();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
