import type { Work } from '@comanda/cli/command';
import { parse } from '@comanda/cli/input';
import { withProgress } from '@comanda/cli/progress';
import type { Lines } from '@comanda/cli/rows';
import { editUrl, readSettings } from '@comanda/db';
import { databaseUrlOf } from '@comanda/embedded/database-url';
import { z } from 'zod';
import { type Drill, drill } from './drill.ts';

// The format in which PostgreSQL takes a moment to recover to: the T and Z of ISO 8601 it refuses there.
const moment = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?[+-]\d\d(:?\d\d)?$/;

const isStanza = (from: string) => from.startsWith('pgbackrest:');

const Input = z
  .object({
    from: z.string(),
    archive: z.string().optional(),
    until: z.string().regex(moment, 'must be a time like 2026-11-22 21:30:00+00').optional(),
    against: z.string().optional(),
    database: z.string().min(1).max(63).optional(),
    superuser: z.string().min(1).max(63).default('postgres'),
    programs: z.string().optional(),
    folder: z.string().optional(),
  })
  .refine(({ from, until, archive }) => until === undefined || isStanza(from) || archive !== undefined, {
    path: ['until'],
    error: 'needs --archive',
  })
  .refine(({ from, archive }) => archive === undefined || !isStanza(from), {
    path: ['archive'],
    error: 'is not for pgbackrest:, which has an archive of its own',
  });

/** `comanda drill` */
export const drillCommand: Work = {
  async runAlone(environment, given) {
    const { database, against, ...options } = parse(Input, given);
    const settings = readSettings(environment);
    const running = (await databaseUrlOf(settings, 'owner')) ?? undefined;
    const isRunning = /^postgres(ql)?:/.test(options.from);
    const known = isRunning ? options.from : running;
    const all = {
      ...options,
      against: against ?? known,
      database: database ?? databaseIn(known) ?? 'comanda',
    };
    return withProgress((onProgress) => drill(environment, settings, all, onProgress));
  },
  show: text,
  isFailure: (value) => !(value as Drill).works,
};

function databaseIn(url: string | undefined): string | undefined {
  let name = '';
  if (url !== undefined)
    editUrl(url, ({ pathname }) => {
      name = decodeURIComponent(pathname.slice(1));
    });
  return name || undefined;
}

function text(value: unknown): Lines {
  const { works, seconds, steps } = value as Drill;
  const lines = steps.map(
    ({ name, ok, found, seconds: took }) =>
      `${ok ? 'ok    ' : 'FAILED'}  ${name.padEnd(9)}  ${`${took.toFixed(1)} s`.padStart(7)}  ${found}`,
  );
  const verdict = works
    ? `The backup works: restored, served and removed again in ${seconds.toFixed(1)} s.`
    : `The backup does not work as it is: see above. (${seconds.toFixed(1)} s)`;
  return [...lines, '', verdict];
}
