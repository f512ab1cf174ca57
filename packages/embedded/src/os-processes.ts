import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { again, repeat } from '@comanda/db';
import type { Account } from './account.ts';

/** A process that a later start can recognize even when its id has been given to another. */
export interface ProcessMark {
  pid: number;
  /** When the process began, in the system's own notation. */
  started: string;
}

/** Marks a living process; null when there is none (a zombie counts as none). */
export function markProcess(pid: number): ProcessMark | null {
  if (process.platform === 'linux') {
    const fields = readProc(pid, 'stat')
      ?.replace(/^.*\) /s, '')
      .split(' ');
    const started = fields?.[19];
    return started === undefined || fields?.[0] === 'Z' ? null : { pid, started };
  }
  const shown = spawnSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).stdout;
  const [, state = 'Z', started = ''] = /^\s*(\S+)\s+(.+?)\s*$/s.exec(shown ?? '') ?? [];
  return state.startsWith('Z') ? null : { pid, started };
}

/** Whether the marked process still lives. */
export function isAlive(mark: ProcessMark): boolean {
  return markProcess(mark.pid)?.started === mark.started;
}

/** Whether `pid` is a PostgreSQL server that works in `folder`. */
export function isPostgresIn(pid: number, folder: string): boolean {
  if (markProcess(pid) === null) return false;
  if (process.platform === 'linux') {
    if (readProc(pid, 'comm')?.trim() !== 'postgres') return false;
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === folder;
    } catch {
      return true;
    }
  }
  const shown = spawnSync('ps', ['-o', 'comm=', '-p', String(pid)], { encoding: 'utf8' }).stdout;
  return /postgres\s*$/.test(shown ?? '');
}

/** Asks the marked processes to end and, after `patienceMs`, makes them. */
export async function endProcesses(marks: readonly ProcessMark[], patienceMs: number): Promise<void> {
  const deadline = Date.now() + patienceMs;
  for (const mark of marks.filter(isAlive)) signalProcess(mark.pid, 'SIGTERM');
  await repeat(() => {
    const living = marks.filter(isAlive);
    if (living.length > 0 && Date.now() < deadline) return again(50);
    for (const mark of living) signalProcess(mark.pid, 'SIGKILL');
    return undefined;
  });
}

/** How a tool is run. */
export interface ToolOptions {
  /** For it alone, in addition to a bare environment: passwords, which others would see among its arguments. */
  env?: Readonly<Record<string, string>>;
  /** Ends it. */
  signal?: AbortSignal | undefined;
}

/** Runs a PostgreSQL tool to its end, in a session of its own, so that a Ctrl-C does not reach it; `signal` does. */
export function runTool(
  file: string,
  args: readonly string[],
  account: Account | null,
  { env = {}, signal }: ToolOptions = {},
): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      cwd: '/',
      env: { ...toolEnvironment(), ...env },
      ...(signal && { signal }),
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(account && { uid: account.uid, gid: account.gid }),
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk;
      });
    }
    child.on('error', (error) => resolve({ code: 127, output: error.message }));
    child.on('close', (code) => resolve({ code: code ?? 1, output: output.trim() }));
  });
}

/** The part of our environment that PostgreSQL may see: no PG* variables that redirect it, none of our secrets. */
function toolEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) =>
    /^(PATH|TMPDIR|LD_.*|DYLD_.*|.*FAKETIME.*|DONT_FAKE_MONOTONIC)$/.test(name),
  );
  return { ...Object.fromEntries(kept), LC_ALL: 'C', TZ: 'UTC' };
}

function readProc(pid: number, name: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return null;
  }
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended between the look and the signal.
  }
}
