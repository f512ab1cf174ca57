import autocannon from 'autocannon';
import { processCpuMs, serverCpuMs } from './cpu.ts';

/** One of the two that are compared. */
export interface Side {
  name: 'comanda' | 'reference';
  url: string;
  /** Its Node process, whose CPU time is counted. */
  pid: number;
  /** The request that is sent, over and over. */
  requests: Request[];
}

/** A request, the same each time or made again for each. */
export interface Request {
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  headers?: Record<string, string>;
  /** Gives headers and body of the next request, and its path where that differs. */
  next?(): { path?: string; headers?: Record<string, string>; body: string };
}

/** The figures of one run of one side. */
export interface Measure {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** CPU time per request of the server's Node process and of PostgreSQL, in microseconds. */
  nodeUs: number;
  postgresUs: number;
  /** Answers that were not a success: any makes the comparison fail. */
  failures: number;
  /** The first of them, to know what went wrong. */
  firstFailure?: string;
}

/** How long and how often to measure. */
export interface Effort {
  connections: number;
  seconds: number;
  repeats: number;
  /** So many requests, in place of so many seconds. */
  amount?: number;
}

/** Sends requests to one side for some seconds. */
export async function measure(side: Side, effort: Effort, postmaster: number): Promise<Measure> {
  const before = { node: processCpuMs(side.pid), postgres: serverCpuMs(postmaster) };
  let firstFailure: string | undefined;
  const onResponse = (status: number, body: string) => {
    if (status >= 400) firstFailure ??= `${status} ${body.slice(0, 300)}`;
  };
  const result = await autocannon({
    url: side.url,
    connections: effort.connections,
    ...(effort.amount === undefined ? { duration: effort.seconds } : { amount: effort.amount }),
    requests: side.requests.map(({ method, path, headers = {}, next }) => ({
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
  const node = processCpuMs(side.pid) - before.node;
  const postgres = serverCpuMs(postmaster) - before.postgres;
  const answered = result['2xx'] + (result['3xx'] ?? 0);
  if (answered === 0) throw new Error(`${side.name} answered nothing: ${firstFailure ?? 'no connection'}`);
  return {
    perSecond: answered / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    nodeUs: (node * 1000) / answered,
    postgresUs: (postgres * 1000) / answered,
    failures: result.errors + result.timeouts + result['4xx'] + result['5xx'],
    ...(firstFailure !== undefined && { firstFailure }),
  };
}

/** Measures both sides in turn, so that what disturbs the machine disturbs both; after one unmeasured run of each. */
export async function alternate(
  sides: readonly [Side, Side],
  effort: Effort,
  postmaster: number,
): Promise<Record<Side['name'], Measure[]>> {
  const found: Record<Side['name'], Measure[]> = { comanda: [], reference: [] };
  if (effort.repeats > 1)
    for (const side of sides)
      await measure(side, { ...effort, seconds: Math.min(2, effort.seconds) }, postmaster);
  for (let repeat = 0; repeat < effort.repeats; repeat += 1)
    for (const side of sides) found[side.name].push(await measure(side, effort, postmaster));
  return found;
}

/** The value in the middle; of an even number, the lower one. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
}

/** The median of each figure; failures are summed. */
export function medians(measures: readonly Measure[]): Measure {
  const of = (name: Exclude<keyof Measure, 'firstFailure'>) => median(measures.map((one) => one[name]));
  const firstFailure = measures.find((one) => one.firstFailure !== undefined)?.firstFailure;
  return {
    perSecond: of('perSecond'),
    p50Ms: of('p50Ms'),
    p99Ms: of('p99Ms'),
    nodeUs: of('nodeUs'),
    postgresUs: of('postgresUs'),
    failures: measures.reduce((sum, one) => sum + one.failures, 0),
    ...(firstFailure !== undefined && { firstFailure }),
  };
}
