import { type Database, openDatabase, readSettings, type Settings, SettingsError } from '@comanda/db';
import { databaseUrlOf } from '@comanda/embedded/database-url';
import {
  type Check,
  type DoctorContext,
  type Finding,
  failed,
  type Outcome,
  type Thresholds,
  worst,
} from './check.ts';
import { eventTypesOfKeys } from './event-types-check.ts';
import { type Looked, lookAt } from './invariants/look.ts';
import { invariants } from './invariants/table.ts';
import { locksCheck } from './locks-check.ts';
import { logChecks } from './log-checks.ts';
import { queueCheck } from './queue-check.ts';
import { type Repair, repair } from './repair.ts';
import { serverChecks } from './server-checks.ts';
import { judgeSettings, setupChecks } from './setup-checks.ts';
import { workChecks } from './work-checks.ts';

/** The findings of `comanda doctor`. */
export interface Diagnosis {
  /** The worst of all findings. */
  outcome: Outcome;
  checks: CheckResult[];
  /** With `--repair`: what was done before the checks, with `--dry-run` what would be. */
  repairs?: Repair[];
}

/** One check and its finding; `advice` only where an action is needed. */
export interface CheckResult extends Finding {
  name: string;
  means: string;
  advice?: string;
}

/** The thresholds of findings, unless the caller says otherwise. */
export const defaultThresholds: Thresholds = {
  relayLagSeconds: { warning: 10, wrong: 60 },
  stuckSeconds: 60,
  failingAttempts: 10,
  clockSkewMs: { warning: 1_000, wrong: 60_000 },
  connections: { warning: 0.8, wrong: 0.95 },
  disk: { warning: 0.1, wrong: 0.03 },
  lockSeconds: 1,
  idleInTransactionSeconds: 60,
  activeSeconds: 300,
  openWriterSeconds: 60,
  deadRows: 50_000,
  probeSeconds: 10,
  invariantSeconds: 45,
  cronMinutes: 65,
  moveSeconds: 300,
  slotBytes: 1024 ** 3,
  transactionAge: { warning: 500_000_000, wrong: 1_500_000_000 },
};

/** How to look, and whether to repair. */
export interface DoctorOptions {
  thresholds?: Partial<Thresholds>;
  /** Only the invariants of this location. */
  location?: string;
  /** Every row of every location, however long it takes. */
  deep?: boolean;
  /** Derive again what can be, before it is looked at; `dry run` says what that would be. */
  repair?: 'repair' | 'dry run';
  /** Is called with how many checks of how many are done, and the name of the one that is under way. */
  onProgress?: (done: number, of: number, name: string) => void;
}

/**
 * Looks at everything that can be looked at and says what is wrong. Never throws: what cannot be looked at is a
 * finding. `environment` holds the settings.
 */
export async function diagnose(
  environment: Readonly<Record<string, string | undefined>>,
  options: DoctorOptions = {},
): Promise<Diagnosis> {
  const settings = tryToRead(environment);
  if (settings instanceof SettingsError) {
    return conclude([result(settingsCheck, { outcome: 'wrong', found: settings.message })]);
  }
  const checked = [result(settingsCheck, judgeSettings(settings))];
  const url = await databaseUrlOf(settings, 'service');
  if (url === null) return conclude([...checked, result(reachable, notRunning)]);
  // Unnamed: should it be a pooler even so, the findings are still true.
  const database = openDatabase({
    url,
    applicationName: 'comanda-doctor',
    unnamed: true,
    work: options.deep ? 'deep look' : 'look',
  });
  try {
    const finding = await reach(database);
    checked.push(result(reachable, finding));
    if (finding.outcome === 'wrong') return conclude(checked);
    const context = { settings, database, thresholds: { ...defaultThresholds, ...options.thresholds } };
    const checks = [
      locksCheck,
      ...(await setupChecks(settings)),
      eventTypesOfKeys,
      ...workChecks,
      queueCheck,
      ...serverChecks,
      ...logChecks,
    ];
    // The invariants are checked last, and for longest.
    const report = (done: number, what: string) => options.onProgress?.(done, checks.length + 1, what);
    for (const [index, check] of checks.entries()) {
      report(index, check.name);
      checked.push(result(check, await attempt(check, context)));
    }
    report(checks.length, 'what must always hold');
    const far = { deep: false, ...options, seconds: context.thresholds.invariantSeconds };
    const looked = await lookAt(database, invariants, far);
    if (options.repair === undefined) return conclude([...checked, ...resultsOf(looked)]);
    const repairs = await repairAsOwner(settings, looked, options.repair === 'dry run');
    const after = options.repair === 'repair' ? await lookAt(database, invariants, far) : looked;
    return { ...conclude([...checked, ...resultsOf(after)]), repairs };
  } finally {
    await database.close();
  }
}

async function repairAsOwner(
  settings: Settings,
  looked: readonly Looked[],
  dryRun: boolean,
): Promise<Repair[]> {
  const url = (await databaseUrlOf(settings, 'owner')) ?? '';
  const owner = openDatabase({ url, poolSize: 2, applicationName: 'comanda-doctor', unnamed: true });
  try {
    return await repair(owner, url, looked, dryRun);
  } finally {
    await owner.close();
  }
}

const resultsOf = (looked: readonly Looked[]): CheckResult[] =>
  looked.map(({ invariant, finding }) =>
    result(finding.outcome === 'unknown' ? { ...invariant, advice: lookAgain } : invariant, finding),
  );

/** A part that was not checked need not be repaired. */
const lookAgain =
  'Repair what kept it from being looked at, which the finding names (see locks, above), then ask again.';

const settingsCheck = {
  name: 'settings',
  means: 'The environment variables can be used and fit together.',
  advice: 'docs/operations/settings.md lists every setting.',
};

const reachable = {
  name: 'database reachable',
  means: 'The database answers; nothing else can be looked at without it.',
  advice:
    'Start it (npm start runs the embedded one), or see that DATABASE_URL names the right server and password.',
};

const notRunning: Finding = {
  outcome: 'wrong',
  found: 'no database is running: DATABASE_URL is not set, and none runs in DATA_DIR',
};

function tryToRead(environment: Readonly<Record<string, string | undefined>>): Settings | SettingsError {
  try {
    return readSettings(environment);
  } catch (error) {
    if (error instanceof SettingsError) return error;
    throw error;
  }
}

async function reach(database: Database): Promise<Finding> {
  try {
    await database.pool.query('select 1');
    return { outcome: 'ok', found: 'it answers' };
  } catch (error) {
    return failed('wrong', 'the database cannot be reached', error);
  }
}

async function attempt(check: Check, context: DoctorContext): Promise<Finding> {
  try {
    return await check.run(context);
  } catch (error) {
    return { advice: lookAgain, ...failed('unknown', 'could not be looked at', error) };
  }
}

function result(
  { name, means, advice }: Pick<Check, 'name' | 'means' | 'advice'>,
  finding: Finding,
): CheckResult {
  const { outcome, found } = finding;
  return { name, outcome, found, means, ...(outcome !== 'ok' && { advice: finding.advice ?? advice }) };
}

function conclude(checks: CheckResult[]): Diagnosis {
  return { outcome: worst(checks.map(({ outcome }) => outcome)), checks };
}
