import type { RoleKind } from '../../../packages/db/src/roles/access.ts';
import { unusedPort } from '../../../tests/start/run.ts';
import { capture } from '../../../tests/support/captured.ts';
import { roleUrl } from '../../../tests/support/roles.ts';
import { waitFor } from '../../../tests/support/wait.ts';
import { main } from '../src/main.ts';
import { tokenHeader } from '../src/page/session.ts';

/** Variables that Studio is started with. */
export type StudioSettings = Readonly<Record<string, string>>;

/** A Studio that serves in this process. */
export interface RunningStudio {
  output(): string;
  origin: string;
  /** A printed address that no test has used yet. */
  address(): Promise<string>;
  /** The headers of a tab that is signed in. */
  headers: Record<string, string>;
  /** Sends a query as the page does. */
  query(sql: string, parameters?: unknown[], headers?: Record<string, string>): Promise<Queried>;
  close(): Promise<number | null>;
}

/** The answer to a query. */
export interface Queried {
  status: number;
  refusal: { name: string; message: string } | null;
  rows: Record<string, unknown>[];
}

/** Studio on the database of `url` as a role. */
export const settingsOf = (url: string, role: RoleKind): StudioSettings => ({
  DATA_DIR: '/nonexistent/comanda',
  DATABASE_URL: roleUrl(url, role),
  DATABASE_ROLE_PREFIX: new URL(url).username.replace(/_[a-z]+$/, ''),
});

/** Why a start with such arguments is refused; as an admin where they ask to edit. */
export async function refusalOf(
  args: string[],
  url: string,
  role: RoleKind = args.includes('--edit') ? 'admin' : 'reader',
): Promise<string> {
  return main(args, settingsOf(url, role), AbortSignal.abort()).then(
    (code) => `it served, and ended with ${code}`,
    (error: Error) => error.message,
  );
}

/** Starts it with such arguments, on the database of `url` as a role: that for which the arguments ask, unless said. */
export const startStudio = (
  url: string,
  args: string[] = [],
  role: RoleKind = args.includes('--edit') ? 'admin' : 'reader',
): Promise<RunningStudio> => openStudio(settingsOf(url, role), args);

/** The same with these settings. Waits for nothing but the line with its address: then it listens. */
export async function openStudio(settings: StudioSettings, args: string[]): Promise<RunningStudio> {
  const port = await unusedPort();
  const printed = { stdout: '', stderr: '' };
  const stopping = new AbortController();
  const words = ['--port', String(port), ...args];
  let isOver = false;
  const ended = capture(printed, () => main(words, settings, stopping.signal)).finally(() => {
    isOver = true;
  });
  ended.catch(() => {});
  let given = 0;
  const address = async () => {
    const wanted = given++;
    const next = () => printed.stdout.match(/http:\/\/\S+#code=\S+/g)?.[wanted];
    await waitFor('an address of Studio', () => isOver || next() !== undefined, { timeoutMs: 100_000 });
    // Rejects with the reason where it has ended instead.
    return next() ?? `Studio ended with ${await ended}`;
  };
  const entrance = await address();
  const { origin } = new URL(entrance);
  const headers = await headersIn(origin, entrance);
  return {
    output: () => printed.stdout + printed.stderr,
    origin,
    address,
    headers,
    query: (sql, parameters = [], own = {}) =>
      ask(origin, { procedure: 'query', query: { sql, parameters } }, { ...headers, ...own }),
    close() {
      stopping.abort();
      return ended;
    },
  };
}

/** The code of an address. */
export const codeOf = (address: string): string => /#code=([\w-]+)/.exec(address)?.[1] ?? '';

/** Brings a code, as the page does. */
export const enter = (origin: string, code: string, headers: Record<string, string> = { origin }) =>
  fetch(`${origin}/enter`, { method: 'POST', headers, body: JSON.stringify({ code }) });

/** Lets a tab in by an address; what it sends from then on. */
export async function headersIn(origin: string, address: string): Promise<Record<string, string>> {
  const entered = await enter(origin, codeOf(address));
  return { origin, [tokenHeader]: ((await entered.json()) as { token: string }).token };
}

/** Asks what answers data. */
export async function ask(address: string, body: object, headers: Record<string, string>): Promise<Queried> {
  const response = await fetch(`${address}/bff`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) return { status: response.status, refusal: { name: 'HTTP', message: text }, rows: [] };
  const [refusal, rows = []] = JSON.parse(text) as [Queried['refusal'], Queried['rows']?];
  return { status: response.status, refusal, rows };
}
