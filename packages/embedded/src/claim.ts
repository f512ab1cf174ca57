import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, markProcess, type ProcessMark } from './os-processes.ts';

/** A running owner's record of itself for later processes. */
export interface RunningRecord {
  owner: ProcessMark;
  /** Base URL of the service, once it answers. */
  url?: string;
  /** Processes that use the database on the owner's behalf and must not outlive it. */
  children?: ProcessMark[];
}

/** Our hold on a database folder: at most one living process has it. */
export interface Claim {
  /** Record of an owner that died without letting go. */
  abandoned: RunningRecord | null;
  /** Adds to our record for later processes. */
  update(more: Omit<RunningRecord, 'owner'>): void;
  release(): void;
}

/** Another process uses this data directory; `message` names it, in one line. */
export class AlreadyRunningError extends Error {
  override name = 'AlreadyRunningError';
  readonly record: RunningRecord;
  constructor(dataDir: string, record: RunningRecord) {
    const where = record.url === undefined ? 'still starting' : `at ${record.url}`;
    super(
      `already running on ${dataDir}: process ${record.owner.pid}, ${where}; stop it first, or set DATA_DIR and PORT for a second one`,
    );
    this.record = record;
  }
}

/**
 * Takes hold of `home` for this process.
 * @throws {AlreadyRunningError} when a living process has it.
 */
export function claimHome(home: string, dataDir: string): Claim {
  const file = join(home, 'running.json');
  const owner = markProcess(process.pid);
  if (owner === null) throw new Error('this process cannot see itself in the process table');
  const record: RunningRecord = { owner };
  let abandoned: RunningRecord | null = null;
  while (!placeRecord(file, record)) {
    const text = readText(file);
    const other = parseRecord(text);
    if (other !== null && isAlive(other.owner)) throw new AlreadyRunningError(dataDir, other);
    if (text !== null && removeRecord(file, text)) abandoned = other;
  }
  return {
    abandoned,
    update(more) {
      replaceFile(file, { ...record, ...more });
    },
    release() {
      rmSync(file, { force: true });
    },
  };
}

/** The record of the living owner of a database folder; null when there is none. */
export function readClaim(home: string): RunningRecord | null {
  const record = parseRecord(readText(join(home, 'running.json')));
  return record !== null && isAlive(record.owner) ? record : null;
}

/** A link is made whole or not at all: no process ever reads half a record, and only one of several wins. */
function placeRecord(file: string, record: RunningRecord): boolean {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(record), { mode: 0o600 });
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Moves the judged record away; when a third comer has just put a fresh one there, gives it back. */
function removeRecord(file: string, judged: string): boolean {
  const aside = `${file}.${process.pid}.old`;
  try {
    renameSync(file, aside);
  } catch {
    return false;
  }
  const same = readText(aside) === judged;
  if (!same) linkSync(aside, file);
  rmSync(aside, { force: true });
  return same;
}

function replaceFile(file: string, record: RunningRecord): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(record), { mode: 0o600 });
  renameSync(draft, file);
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

function parseRecord(text: string | null): RunningRecord | null {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

function isRecord(value: unknown): value is RunningRecord {
  return typeof value === 'object' && value !== null && 'owner' in value && typeof value.owner === 'object';
}
