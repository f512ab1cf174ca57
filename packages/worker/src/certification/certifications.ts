import { channel } from 'node:diagnostics_channel';
import type { Certification } from '@comanda/api/services';
import type { Logger } from 'pino';
import { RunOver } from './endings.ts';
import { judge, verdictOf } from './judge.ts';
import type { Entry, Log } from './log.ts';
import { OpenRun, type RunRef, type RunTools } from './run.ts';
import { beginRun, endRun } from './statements.ts';

/** The certifications that this process plays. */
export interface Certifications {
  /** Plays a run that waits, and returns at once. */
  begin(ref: RunRef): Promise<void>;
  /** Aborts what is under way. */
  stop(): Promise<void>;
}

/** A run that has ended, as `playedRuns` gets it. */
export interface PlayedRun extends RunRef {
  log: Log;
}

/** Gets each run that has ended as a `PlayedRun`, so that a log can be kept and judged again. */
export const playedRuns = channel('comanda:certification');

/** A run that takes longer is aborted. */
const mostMs = 15 * 60_000;

/** Why a run was aborted, for its report. */
export const abortedWith = 'Aborted: the service was restarted while it ran. Start another one.';

/** Makes the registry; it starts empty. */
export function createCertifications(tools: RunTools & { log: Logger }): Certifications {
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  return {
    async begin(ref) {
      const [begun] = await tools.database.run(beginRun, [ref.locationId, ref.certificationId]);
      if (begun === undefined) return;
      const played = play(tools, ref, begun.does, stopping.signal)
        .catch((error: unknown) => tools.log.warn({ err: error, ...ref }, 'a certification was not ended'))
        .finally(() => running.delete(played));
      running.add(played);
    },
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}

async function play(
  tools: RunTools & { log: Logger },
  ref: RunRef,
  does: Certification['does'],
  stopped: AbortSignal,
): Promise<void> {
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(mostMs)]);
  const run = new OpenRun(tools, ref, signal);
  const log: Entry[] = [];
  let judgment = judge(does, log);
  let aborted: string | undefined;
  try {
    while (judgment.next !== undefined) {
      log.push(await run.take(judgment.next, judgment.report));
      judgment = judge(does, log);
    }
  } catch (error) {
    // The process that ended it has put its changes back, and has written its report.
    if (error instanceof RunOver) return;
    aborted = 'Aborted: a fault of the service. Start another one.';
    if (stopped.aborted) aborted = abortedWith;
    else if (signal.aborted) aborted = `Aborted: it took longer than ${mostMs / 60_000} minutes.`;
    else tools.log.error({ err: error, ...ref }, 'a certification was aborted');
  } finally {
    await run.removeProducts();
  }
  const { report } = judgment;
  if (aborted !== undefined)
    for (const entry of report)
      if (entry.status === 'waiting' || entry.status === 'running')
        Object.assign(entry, { status: 'not_played', reason: aborted });
  const isPassed = report.every(({ status }) => status === 'passed' || status === 'not_applicable');
  const status = aborted !== undefined ? 'aborted' : isPassed ? 'passed' : 'failed';
  const verdict = aborted ?? verdictOf(report, does);
  await tools.database.run(endRun, [
    ref.locationId,
    ref.certificationId,
    status,
    verdict,
    JSON.stringify(report),
  ]);
  playedRuns.publish({ ...ref, log } satisfies PlayedRun);
}
