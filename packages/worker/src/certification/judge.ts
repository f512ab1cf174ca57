import { isDeepStrictEqual } from 'node:util';
import {
  type Certification,
  type CertificationCheck,
  type CheckName,
  checkNames,
} from '@comanda/api/services';
import type { Check, Feature, Run } from './check.ts';
import { checks } from './checks.ts';
import { Unmet } from './endings.ts';
import { dataOf, type Log, type Step } from './log.ts';
import type { Call } from './statements.ts';

/** The report as far as the log goes, and the next step. Without one, every check has ended. */
export interface Judgment {
  report: CertificationCheck[];
  next?: { check: CheckName; step: Step };
}

/** Judges a run by its log alone. Throws when the steps of the log are not those of the checks. */
export function judge(does: Certification['does'], log: Log): Judgment {
  const report = checkNames.map((name) => blank(name, checks[name], does));
  const entries = log.values();
  for (const entry of report) {
    if (entry.status === 'not_applicable') continue;
    const failed = checks[entry.check].leansOn.find((name) => isFailed(report, name));
    if (failed !== undefined) {
      Object.assign(entry, { status: 'not_played', reason: `Not played, since ${failed} did not pass.` });
      continue;
    }
    const step = judgeCheck(entry, does, entries);
    if (step !== undefined) return { report, next: { check: entry.check, step } };
  }
  if (entries.next().done !== true) throw new Error('the log goes on after the last check');
  return { report };
}

/** Plays a check on its part of the log, and writes what came of it into the report. Returns the step that is next. */
function judgeCheck(
  entry: CertificationCheck,
  does: Certification['does'],
  entries: Iterator<Log[number]>,
): Step | undefined {
  const { check, done, seen } = entry;
  let at = '';
  const run: Run = {
    does,
    did: (text) => done.push(text),
    saw: (what) => seen.push(typeof what === 'string' ? { at, text: what } : sightOf(what)),
  };
  entry.status = 'running';
  try {
    const script = checks[check].play(run);
    for (let turn = script.next(); turn.done !== true; ) {
      const taken = entries.next();
      if (taken.done === true) return turn.value;
      const wanted = { check, step: dataOf(turn.value) };
      const found = { check: taken.value.check, step: taken.value.step };
      if (!isDeepStrictEqual(found, wanted))
        throw new Error(`the log has ${JSON.stringify(found)} in place of ${JSON.stringify(wanted)}`);
      at = taken.value.at;
      turn = script.next(taken.value);
    }
    entry.status = 'passed';
  } catch (error) {
    if (!(error instanceof Unmet)) throw error;
    Object.assign(entry, { status: 'failed', reason: error.message });
  }
  return undefined;
}

function sightOf({
  at,
  requestId,
  request,
  status,
  replayed,
  fault,
}: Call): CertificationCheck['seen'][number] {
  const played = fault === null ? '' : `, with ${fault} played upon it`;
  const answered = `${status === null ? 'was not answered' : `answered ${status}`}${replayed ? ', a repeat' : ''}`;
  return { at, text: `${request.slice(0, 200)} ${answered}${played}`, request_id: requestId };
}

const isFailed = (report: readonly CertificationCheck[], name: CheckName) =>
  report.some(({ check, status }) => check === name && (status === 'failed' || status === 'not_played'));

const features: Readonly<Record<Feature, string>> = {
  receives_webhooks: 'receive webhooks',
  reads_catalog: 'read the catalog',
  reads_lists: 'read lists',
  places_orders: 'place orders',
  takes_orders: 'take orders',
  brings_catalog: 'bring the catalog',
};

function blank(
  check: CheckName,
  { title, needs, needsOneOf, read }: Check,
  does: Certification['does'],
): CertificationCheck {
  const missing = needs.filter((feature) => !does[feature]).slice(0, 1);
  if (needsOneOf?.every((feature) => !does[feature])) missing.push(...needsOneOf);
  const entry = { check, title, done: [], seen: [], read };
  if (missing.length === 0) return { ...entry, status: 'waiting' };
  return {
    ...entry,
    status: 'not_applicable',
    reason: `It does not ${missing.map((feature) => features[feature]).join(', nor ')}.`,
  };
}

/** How the run ended, in a sentence. */
export function verdictOf(report: readonly CertificationCheck[], does: Certification['does']): string {
  const count = (wanted: CertificationCheck['status']) =>
    report.filter(({ status }) => status === wanted).length;
  const [passed, left] = [count('passed'), count('not_applicable')];
  const skipped = count('not_played');
  const lacking = (Object.keys(features) as Feature[])
    .filter((feature) => !does[feature])
    .map((feature) => features[feature]);
  const beside =
    left === 0
      ? ''
      : ` ${left} ${left === 1 ? 'does' : 'do'} not apply: it does not ${lacking.join(', nor ')}.`;
  const unplayed = skipped === 0 ? '' : ` ${skipped} ${skipped === 1 ? 'was' : 'were'} not played.`;
  return `${passed} of ${report.length - left} checks passed.${unplayed}${beside}`;
}
