import type { CertificationAction, CertificationCheck, CheckName } from '@comanda/api/services';
import { type Clock, type Database, sleep } from '@comanda/db';
import { isEffect } from './calls.ts';
import { RunOver } from './endings.ts';
import type { Seen, StepOf } from './log.ts';
import * as sql from './statements.ts';

/** How often a wait looks. */
const everyMs = 400;
const quietMs = 2_000;
const mostQuietSeconds = 10;

/** The parameters with which statements name a run. */
export type RunParameters = readonly [locationId: string, certificationId: string];

interface WatchTools {
  database: Database;
  clock: Clock;
}

/** The waits of a run. Each throws `RunOver` when a caller aborted the run. */
export class Watch {
  readonly #database: Database;
  readonly #run: RunParameters;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  #check: CheckName | undefined;
  #report: readonly CertificationCheck[] = [];
  #newest = 0;

  /** Waits end when `signal` aborts. */
  constructor({ database, clock }: WatchTools, run: RunParameters, signal: AbortSignal) {
    this.#database = database;
    this.#run = run;
    this.#clock = clock;
    this.#signal = signal;
  }

  /** Begins a step of a check, whose waits show this report. Returns the number of the newest call. */
  async beginStep(check: CheckName, report: readonly CertificationCheck[]): Promise<number> {
    this.#check = check;
    this.#report = report;
    this.#newest = (await this.#database.run(sql.newestCall, this.#run))[0]?.number ?? 0;
    return this.#newest;
  }

  /** Looks again and again until something is found; undefined when it did not come in time. */
  async look<Found>(
    action: CertificationAction,
    text: string,
    seconds: number,
    look: () => Promise<Found | undefined>,
  ): Promise<Found | undefined> {
    await this.#ask(action, text, seconds);
    const until = this.#clock.now() + seconds * 1_000;
    for (;;) {
      const found = await look();
      const leftMs = until - this.#clock.now();
      if (found !== undefined || leftMs <= 0) {
        await this.#ask(null);
        return found;
      }
      await sleep(this.#clock, Math.min(everyMs, leftMs), this.#signal);
      if ((await this.#database.run(sql.keepAlive, this.#run)).length === 0) throw new RunOver();
    }
  }

  /** Waits for what a step waits for; deliveries are those to this endpoint. */
  async wait(step: StepOf<'wait'>, endpointId: string | undefined): Promise<Seen> {
    const { since = this.#newest, jobId, eventId } = step;
    const [locationId] = this.#run;
    let seen: Seen = { calls: [] };
    await this.look(step.action, step.text, step.seconds, async () => {
      seen = { calls: await this.#database.run(sql.readCalls, [...this.#run, since]) };
      if (jobId !== undefined) {
        const [job] = await this.#database.run(sql.jobEnd, [locationId, jobId]);
        if (job?.endedMs != null) seen.jobEndedMs = job.endedMs;
      }
      if (eventId !== undefined) {
        const values = [locationId, endpointId, eventId];
        seen.isDelivered = (await this.#database.run(sql.isDelivered, values)).length > 0;
      }
      return step.isOver?.(seen) === true || undefined;
    });
    return seen;
  }

  /** Waits until the integration has been quiet for two seconds, at most ten. */
  async settle(): Promise<void> {
    let [newest, quietSince] = [0, this.#clock.now()];
    await this.look('none', 'Your program finishes what it does.', mostQuietSeconds, async () => {
      const calls = await this.#database.run(sql.readCalls, [...this.#run, this.#newest]);
      const last = calls.findLast(isEffect)?.number ?? 0;
      if (last !== newest) [newest, quietSince] = [last, this.#clock.now()];
      return this.#clock.now() - quietSince > quietMs || undefined;
    });
  }

  /** Writes the report, and what the run waits for. */
  async #ask(action: CertificationAction | null, text = '', seconds = 0): Promise<void> {
    const check = action === null ? null : this.#check;
    const values = [...this.#run, JSON.stringify(this.#report), check, action, text, seconds];
    if ((await this.#database.run(sql.tellRun, values)).length === 0) throw new RunOver();
  }
}
