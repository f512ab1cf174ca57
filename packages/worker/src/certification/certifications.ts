import { type Certification, type CertificationCheck, checkNames } from '@comanda/api/services';
import type { Logger } from 'pino';
import type { Check, Deed } from './check.ts';
import { checks } from './checks.ts';
import { RunOver, Unmet } from './endings.ts';
import { openRun, type RunRef, type RunTools } from './run.ts';
import { beginRun, endRun } from './statements.ts';

/** The certifications that this process plays. */
export interface Certifications {
  /** Plays a run that waits, and returns at once. */
  begin(ref: RunRef): Promise<void>;
  /** Aborts what is under way. */
  stop(): Promise<void>;
}

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
  const report = checkNames.map((name) => blank(name, checks[name], does));
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(mostMs)]);
  const run = openRun(tools, ref, does, report, signal);
  let aborted: string | undefined;
  try {
    for (const entry of report) {
      if (entry.status === 'not_applicable') continue;
      const failed = checks[entry.check].leansOn.find((name) => isFailed(report, name));
      if (failed !== undefined) {
        Object.assign(entry, { status: 'not_played', reason: `Not played, since ${failed} did not pass.` });
        continue;
      }
      run.begin(entry.check);
      entry.status = 'running';
      try {
        await checks[entry.check].play(run);
        entry.status = 'passed';
      } catch (error) {
        if (!(error instanceof Unmet)) throw error;
        entry.status = 'failed';
        entry.reason = error.message;
      }
      await run.playFaults([], []);
    }
  } catch (error) {
    // The process that ended it has put its changes back, and has written its report.
    if (error instanceof RunOver) return;
    aborted = 'Aborted: a fault of the service. Start another one.';
    if (stopped.aborted) aborted = abortedWith;
    else if (signal.aborted) aborted = `Aborted: it took longer than ${mostMs / 60_000} minutes.`;
    else tools.log.error({ err: error, ...ref }, 'a certification was aborted');
  }
  if (aborted !== undefined)
    for (const entry of report)
      if (entry.status === 'waiting' || entry.status === 'running')
        Object.assign(entry, { status: 'not_played', reason: aborted });
  const isPassed = report.every(({ status }) => status === 'passed' || status === 'not_applicable');
  const status = aborted !== undefined ? 'aborted' : isPassed ? 'passed' : 'failed';
  const verdict = aborted ?? verdictOf(report, does);
  await tools.database.run(endRun, [
    ...[ref.locationId, ref.certificationId, status, verdict, JSON.stringify(report)],
  ]);
}

const isFailed = (report: readonly CertificationCheck[], name: CertificationCheck['check']) =>
  report.some(({ check, status }) => check === name && (status === 'failed' || status === 'not_played'));

const deeds: Readonly<Record<Deed, string>> = {
  receives_webhooks: 'receive webhooks',
  reads_catalog: 'read the catalog',
  reads_lists: 'read lists',
  places_orders: 'place orders',
  takes_orders: 'take orders',
  brings_catalog: 'bring the catalog',
};

function blank(
  check: CertificationCheck['check'],
  { title, needs, needsOneOf, read }: Check,
  does: Certification['does'],
): CertificationCheck {
  const missing = needs.filter((deed) => !does[deed]).slice(0, 1);
  if (needsOneOf?.every((deed) => !does[deed])) missing.push(...needsOneOf);
  const entry = { check, title, done: [], seen: [], read };
  if (missing.length === 0) return { ...entry, status: 'waiting' };
  return {
    ...entry,
    status: 'not_applicable',
    reason: `It does not ${missing.map((deed) => deeds[deed]).join(', nor ')}.`,
  };
}

function verdictOf(report: readonly CertificationCheck[], does: Certification['does']): string {
  const count = (wanted: CertificationCheck['status']) =>
    report.filter(({ status }) => status === wanted).length;
  const [passed, left] = [count('passed'), count('not_applicable')];
  const skipped = count('not_played');
  const lacking = (Object.keys(deeds) as Deed[]).filter((deed) => !does[deed]).map((deed) => deeds[deed]);
  const beside =
    left === 0
      ? ''
      : ` ${left} ${left === 1 ? 'does' : 'do'} not apply: it does not ${lacking.join(', nor ')}.`;
  const unplayed = skipped === 0 ? '' : ` ${skipped} ${skipped === 1 ? 'was' : 'were'} not played.`;
  return `${passed} of ${report.length - left} checks passed.${unplayed}${beside}`;
}
