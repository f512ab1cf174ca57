import autocannon from 'autocannon';
import type { Cpu } from './cpu.ts';
import type { Figure, Goal } from './figure.ts';
import type { Subject } from './subject.ts';

/** A request, the same each time or made again for each. */
export interface Request {
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  headers?: Record<string, string>;
  /** Gives the body of the next request, its path where that differs, and headers to add. */
  next?(): { path?: string; headers?: Record<string, string>; body: string };
}

/** What is sent, over and over. */
export interface Load {
  url: string;
  /** Each connection sends them one after the other. */
  requests: readonly Request[];
  connections: number;
  /** For so long, or so many. */
  until: { seconds: number } | { amount: number };
}

/** The figures of one load. */
export interface Measure {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** CPU time of a request, in microseconds. */
  cpuUs: Cpu;
  /** Answers that were not a success, and the first of them. */
  failed?: string;
}

/**
 * Sends requests. `used` reads the CPU time until now; `after` is waited for before it is read again.
 * @throws {Error} when nothing is answered.
 */
export async function sendLoad(
  { url, requests, connections, until }: Load,
  used: () => Cpu,
  after: () => Promise<void> = async () => {},
): Promise<Measure> {
  const before = used();
  let first: string | undefined;
  const onResponse = (status: number, body: string) => {
    if (status >= 400) first ??= `${status} ${body.slice(0, 300)}`;
  };
  const result = await autocannon({
    url,
    connections,
    ...('amount' in until ? { amount: until.amount } : { duration: until.seconds }),
    requests: requests.map(({ method, path, headers = {}, next }) => ({
      method,
      path,
      headers,
      onResponse,
      ...(next && {
        setupRequest(request: autocannon.Request) {
          const made = next();
          return {
            ...request,
            path: made.path ?? path,
            headers: { ...headers, ...made.headers },
            body: made.body,
          };
        },
      }),
    })),
  });
  await after();
  const cpu = used();
  const answered = result['2xx'] + (result['3xx'] ?? 0);
  if (answered === 0) throw new Error(`${url} answered nothing: ${first ?? 'no connection'}`);
  const failures = result.errors + result.timeouts + result['4xx'] + result['5xx'];
  const us = (name: keyof Cpu) => ((cpu[name] - before[name]) * 1_000) / answered;
  return {
    perSecond: answered / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    cpuUs: { api: us('api'), postgres: us('postgres'), worker: us('worker') },
    ...(failures > 0 && { failed: `${failures} requests failed, the first: ${first ?? 'not answered'}` }),
  };
}

/** A load that Comanda and the reference get in turn. */
export interface Compared {
  work: string;
  goal: Goal;
  why?: string;
  comanda: Load;
  reference: Load;
}

/** Sends it to both and gives the requests a second as a ratio, and Comanda's rate and CPU. `after`: see `sendLoad`. */
export async function compare(
  { cpuMs }: Subject,
  { work, goal, why, comanda, reference }: Compared,
  referenceMs: () => number,
  after?: () => Promise<void>,
): Promise<Figure[]> {
  const ours = await sendLoad(comanda, cpuMs, after);
  const theirs = await sendLoad(reference, () => ({ ...cpuMs(), api: referenceMs() }));
  const failed = ours.failed ?? theirs.failed;
  const note = `p50 ${ours.p50Ms} and p99 ${ours.p99Ms} ms; reference ${theirs.perSecond.toFixed(0)}/s, ${theirs.cpuUs.api.toFixed(0)} µs of Node and ${theirs.cpuUs.postgres.toFixed(0)} of PostgreSQL`;
  return [
    {
      work: `${work}: rate ÷ that of the reference`,
      value: ours.perSecond / theirs.perSecond,
      unit: '',
      goal,
      note,
      ...(why !== undefined && { why }),
      ...(failed !== undefined && { failed }),
    },
    { work: `${work}: rate`, value: ours.perSecond, unit: '/s' },
    ...cpuFigures(work, ours.cpuUs),
  ];
}

/** The CPU of one call by who used it, as figures without a goal. */
export function cpuFigures(work: string, cpuUs: Cpu): Figure[] {
  const names = { api: 'API', postgres: 'PostgreSQL', worker: 'worker' } as const;
  return (['api', 'postgres', 'worker'] as const).map((name) => ({
    work: `${work}: CPU of ${names[name]}`,
    value: Math.max(0, cpuUs[name]),
    unit: ' µs',
  }));
}
