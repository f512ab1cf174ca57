import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '@comanda/db';

/** A secret that must not be found, and its bytes where it encodes some. */
export interface Canary {
  name: string;
  text: string;
  bytes?: Buffer;
}

/** Something that was said or kept, and where. */
export interface Trace {
  where: string;
  text: string;
}

/** `key as hex in api output`: every canary that some trace holds, in whichever form. */
export function findCanaries(canaries: readonly Canary[], traces: readonly Trace[]): string[] {
  const wanted = canaries.flatMap((canary) =>
    Object.entries(formsOf(canary)).map(([form, text]) => ({
      name: `${canary.name} as ${form}`,
      form,
      text,
    })),
  );
  return traces.flatMap(({ where, text }) => {
    const lower = text.toLowerCase();
    return wanted
      .filter(({ form, text: form_ }) => (form.startsWith('hex') ? lower : text).includes(form_))
      .map(({ name }) => `${name} in ${where}`);
  });
}

/** In the clear, in hex, URL-encoded, and in base64 at any offset of a longer text. */
export function formsOf({ text, bytes }: Canary): Record<string, string> {
  const raw = Buffer.from(text);
  return {
    clear: text,
    'url-encoded': encodeURIComponent(text),
    hex: raw.toString('hex'),
    ...Object.fromEntries([0, 1, 2].map((shift) => [`base64 ${shift}`, base64Within(raw, shift)])),
    ...Object.fromEntries([0, 1, 2].map((shift) => [`base64url ${shift}`, toUrl(base64Within(raw, shift))])),
    ...(bytes && {
      'hex of its bytes': bytes.toString('hex'),
      'base64 of its bytes': bytes.toString('base64').replace(/=+$/, ''),
      'base64url of its bytes': bytes.toString('base64url'),
    }),
  };
}

/** Every row of every table, in any schema. */
export async function tables({ pool }: Pick<Database, 'pool'>): Promise<Trace[]> {
  const { rows: names } = await pool.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  );
  const found: Trace[] = [];
  for (const { name } of names) {
    const { rows } = await pool.query<{ text: string }>(`select t::text as text from ${name} t`);
    found.push({ where: `table ${name}`, text: rows.map(({ text }) => text).join('\n') });
  }
  return found;
}

/** Every file below the folder but those that `except` names by their path in it. */
export function files(folder: string, except: readonly string[] = []): Trace[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(
      (name) => !except.includes(name) && statSync(join(folder, name), { throwIfNoEntry: false })?.isFile(),
    )
    .map((name) => ({ where: `file ${name}`, text: readQuietly(join(folder, name), 'latin1') }));
}

/** The titles and arguments of the process and of all below it, as any account of the machine sees them. */
export function processArguments(root: number): Trace[] {
  const parents = new Map<number, number>();
  for (const pid of readdirSync('/proc').map(Number).filter(Number.isInteger)) {
    const stat = readQuietly(`/proc/${pid}/stat`);
    parents.set(pid, Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
  }
  const isBelow = (pid: number): boolean => pid === root || (pid > 1 && isBelow(parents.get(pid) ?? 0));
  return [...parents.keys()].filter(isBelow).map((pid) => ({
    where: `arguments of process ${pid}`,
    text: readQuietly(`/proc/${pid}/cmdline`) + readQuietly(`/proc/${pid}/comm`) + link(`/proc/${pid}/cwd`),
  }));
}

// The characters that depend on the surrounding text are left out.
function base64Within(raw: Buffer, shift: number): string {
  const skip = (3 - shift) % 3;
  const whole = Math.floor((raw.length - skip) / 3) * 3;
  return raw.subarray(skip, skip + whole).toString('base64');
}

const toUrl = (base64: string): string => base64.replaceAll('+', '-').replaceAll('/', '_');

/** Undefined for a file that has been removed by then. */
function readQuietly(file: string, encoding: BufferEncoding = 'utf8'): string {
  try {
    return readFileSync(file, encoding);
  } catch {
    return '';
  }
}

function link(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return '';
  }
}
