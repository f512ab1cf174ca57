import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { serverAccount } from '../../packages/embedded/src/account.ts';
import { choosePort } from '../../packages/embedded/src/port.ts';
import { noteProcess } from '../support/run-directory.ts';
import { waitFor } from '../support/wait.ts';
import { pgbouncerPath } from './programs.ts';

/** A pooler in transaction mode before the server of a database; it lets in whom the URL names. */
export interface Pooler {
  /** The same database through it. */
  url: string;
  /** Ends it, and every connection through it. */
  stop(): Promise<void>;
}

/** Starts one with five connections a role, so that more clients than that take turns. */
export async function startPooler(databaseUrl: string): Promise<Pooler> {
  const { hostname, port: serverPort, username, password } = new URL(databaseUrl);
  const home = mkdtempSync(join(tmpdir(), 'comanda-outside-'));
  chmodSync(home, 0o755);
  const port = await choosePort(home, null);
  const [settings, users] = [join(home, 'pgbouncer.ini'), join(home, 'users.txt')];
  writeFileSync(users, `"${username}" "${decodeURIComponent(password)}"\n`);
  writeFileSync(
    settings,
    `[databases]
* = host=${hostname} port=${serverPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
default_pool_size = 5
ignore_startup_parameters = statement_timeout,lock_timeout,idle_in_transaction_session_timeout,extra_float_digits,options
max_client_conn = 200
`,
  );
  // It refuses root, as PostgreSQL does.
  const account = serverAccount(home) ?? {};
  const child = spawn(pgbouncerPath(), [settings], { ...account, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk;
  });
  const ended = noteProcess(inject('runDirectory'), child.pid ?? 0);
  await waitFor('PgBouncer to listen', async () => {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended: ${said}`);
    return said.includes('process up');
  });
  const pooled = Object.assign(new URL(databaseUrl), { port: String(port) });
  return {
    url: pooled.href,
    async stop() {
      if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit');
      ended();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
