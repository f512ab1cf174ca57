import { setTimeout as sleep } from 'node:timers/promises';
import type {
  Certification,
  CertificationAction,
  CertificationCheck,
  CheckName,
} from '@comanda/api/services';
import type { Database } from '@comanda/db';
import type { AttemptTools } from '../deliveries/attempt.ts';
import { RunOver, Unmet } from './endings.ts';
import type { Call, TestedEndpoint } from './statements.ts';
import * as sql from './statements.ts';

/** The dependencies of runs. */
export interface RunTools extends AttemptTools {
  database: Database;
}

/** Which run. */
export interface RunRef {
  locationId: string;
  certificationId: string;
}

/** A wait for the integration. */
export interface Wait<Found> {
  /** The step for a person; `none` where the program goes on by itself. */
  action: CertificationAction;
  text: string;
  seconds: number;
  /** Behind which call it looks. */
  since: number;
  /** Finds what is waited for among the calls since; asked again with every look. */
  look(calls: Call[]): Found | undefined | Promise<Found | undefined>;
}

/** A run under way, as checks play it. */
export interface Run extends RunRef {
  readonly tools: RunTools;
  readonly does: Certification['does'];
  /** The endpoint of the integration. @throws {Unmet} when it has none, or it is not subscribed to the type. */
  endpoint(type?: string): Promise<TestedEndpoint>;
  /** Writes into the report what was done. */
  did(text: string): void;
  /** Writes into the report what was seen: a call, or a sentence. */
  saw(what: Call | string): Promise<void>;
  /** The number of the newest call. */
  newest(): Promise<number>;
  /** The calls behind a number. */
  calls(since: number): Promise<Call[]>;
  /** Waits; undefined when it did not come. */
  waitFor<Found>(wait: Wait<Found>): Promise<Found | undefined>;
  /** The calls behind a number, so many seconds later. */
  listen(seconds: number, text: string, since: number): Promise<Call[]>;
  /**
   * No call that `isEffect` takes for an effect may come within so many seconds of the action behind call `since`. A
   * call that comes in the same time without any cause as well is a habit of the program, and no effect. @throws
   * {Unmet} with `fault` for an effect.
   */
  staysQuiet(
    seconds: number,
    text: string,
    since: number,
    isEffect: (call: Call) => boolean,
    fault: string,
  ): Promise<void>;
  /** Waits until the integration has been quiet for two seconds, at most ten: one that polls never is. */
  settle(): Promise<void>;
  /** Plays these faults, in this order, on the next calls of the operations. */
  playFaults(faults: readonly string[], operations: readonly string[]): Promise<void>;
}

const everyMs = 400;
const quietMs = 2_000;
const mostQuietSeconds = 10;

/** The called address, without ids of a page: it identifies the polls of a program. */
const habitOf = ({ operation, request }: Call): string => `${operation} ${request.split('?')[0]}`;

/** Whether a call does more than read the feed, or ask for what the program itself may do. */
export const isEffect = ({ operation }: Call): boolean =>
  !/^(events|limits|webhookEndpoints)\./.test(operation);

/** Begins a run whose report is `report`; `begin` names the check that is played. Waits end when `signal` aborts. */
export function openRun(
  tools: RunTools,
  ref: RunRef,
  does: Certification['does'],
  report: CertificationCheck[],
  signal: AbortSignal,
): Run & { begin(check: CheckName): CertificationCheck } {
  const { database } = tools;
  const place = [ref.locationId, ref.certificationId];
  let current = report[0];
  const rest = (ms: number) => sleep(ms, undefined, { signal });
  const ask = async (action: CertificationAction | null, text = '', seconds = 0) => {
    const check = action === null ? null : (current?.check ?? null);
    const values = [...place, JSON.stringify(report), check, action, text, seconds];
    if ((await database.run(sql.tellRun, values)).length === 0) throw new RunOver();
  };
  const goOn = async () => {
    if ((await database.run(sql.keepAlive, place)).length === 0) throw new RunOver();
  };
  const calls = (since: number) => database.run(sql.readCalls, [...place, since]);

  const run: ReturnType<typeof openRun> = {
    ...ref,
    tools,
    does,
    calls,
    begin(check) {
      const entry = report.find((each) => each.check === check);
      if (entry === undefined) throw new Error(`no check ${check}`);
      current = entry;
      return entry;
    },
    async endpoint(type) {
      const [found] = await database.run(sql.findEndpoint, [ref.locationId]);
      if (found === undefined) throw new Unmet('The location has no active webhook endpoint: register one.');
      if (type !== undefined && !found.events.includes(type))
        throw new Unmet(`The endpoint is not subscribed to ${type}: change its events.`);
      return found;
    },
    did(text) {
      current?.done.push(text);
    },
    async saw(what) {
      if (typeof what !== 'string') {
        const { at, requestId, request, status, replayed, fault } = what;
        const played = fault === null ? '' : `, with ${fault} played upon it`;
        const answered = `${status === null ? 'was not answered' : `answered ${status}`}${replayed ? ', a repeat' : ''}`;
        current?.seen.push({
          at,
          text: `${request.slice(0, 200)} ${answered}${played}`,
          request_id: requestId,
        });
        return;
      }
      const [now] = await database.run(sql.readNow, [ref.locationId]);
      current?.seen.push({ at: now?.at ?? '', text: what });
    },
    newest: async () => (await database.run(sql.newestCall, place))[0]?.number ?? 0,
    async waitFor({ action, text, seconds, since, look }) {
      await ask(action, text, seconds);
      const until = performance.now() + seconds * 1_000;
      for (;;) {
        const found = await look(await calls(since));
        if (found !== undefined || performance.now() > until) {
          await ask(null);
          return found;
        }
        await rest(everyMs);
        await goOn();
      }
    },
    async listen(seconds, text, since) {
      await ask('none', text, seconds);
      const until = performance.now() + seconds * 1_000;
      while (performance.now() < until) {
        await rest(Math.min(everyMs, Math.max(0, until - performance.now())));
        await goOn();
      }
      return calls(since);
    },
    async staysQuiet(seconds, text, since, isMeant, fault) {
      const found = (await run.listen(seconds, text, since)).filter(isMeant);
      if (found.length === 0) return;
      const control = await run.newest();
      const habits = new Set(
        (await run.listen(seconds, 'Nothing: to see what your program calls by itself.', control)).map(
          habitOf,
        ),
      );
      const effect = found.find((call) => !habits.has(habitOf(call)));
      if (effect === undefined) return;
      await run.saw(effect);
      throw new Unmet(fault);
    },
    async settle() {
      const since = await run.newest();
      let [newest, quietSince] = [0, performance.now()];
      await run.waitFor({
        ...{ action: 'none', text: 'Your program finishes what it does.', seconds: mostQuietSeconds, since },
        look(all) {
          const last = all.filter(isEffect).at(-1)?.number ?? 0;
          if (last !== newest) [newest, quietSince] = [last, performance.now()];
          return performance.now() - quietSince > quietMs || undefined;
        },
      });
    },
    async playFaults(faults, operations) {
      await database.run(sql.playFaults, [...place, faults, operations]);
    },
  };
  return run;
}
