import type { Commands } from '@comanda/cli/command';
import { commands as ownCommands } from '@comanda/cli/commands';

const { restored } = ownCommands;

/** Every command of `comanda`, in the order in which `--help` shows them: those of packages/cli, and those of this folder. */
export const commands: Commands = {
  ...ownCommands,
  'locations move': {
    summary:
      'Move a location to another cell, step by step; safe to cut off and to repeat. Exit code 1 until it is there',
    positionals: ['ID'],
    options: {
      to: { value: 'CELL', help: 'where it goes' },
      cells: { value: 'FILE', help: 'the file of cells', required: true },
      map: { value: 'FILE', help: 'where the map for the proxies is written (see cells map)' },
      for: { value: 'PROGRAM', help: 'haproxy, nginx or json (haproxy)' },
      reload: { value: 'COMMAND', help: 'what makes the proxies load it; without one the move waits there' },
      continue: { help: 'the proxies have loaded the map: go on, or with --abort take it back' },
      abort: {
        help: 'take the move back, until this cell has given the location up; leads callers back by --map and --reload',
      },
      folder: { value: 'FOLDER', help: 'for the export, new or empty (one in DATA_DIR)' },
    },
    audited: true,
    work: async () => (await import('./cells/move.ts')).moveLocation,
  },
  'cells map': {
    summary: 'Print which cell each location lives in, by the code in its keys',
    options: {
      cells: { value: 'FILE', help: 'the file of cells', required: true },
      for: { value: 'FORM', help: 'haproxy, nginx or json', required: true },
      output: { value: 'FILE', help: 'write it here at once, and say whether it changed' },
    },
    work: async () => (await import('./cells/command.ts')).cellsMap,
  },
  'cells check': {
    summary: 'Ask the database and the API of every cell how they do; exit code 1 when one is not well',
    options: { cells: { value: 'FILE', help: 'the file of cells', required: true } },
    work: async () => (await import('./cells/command.ts')).cellsCheck,
  },
  restored: {
    ...restored,
    options: {
      ...restored.options,
      cells: { value: 'FILE', help: 'cells, in none of which a restored location may answer' },
    },
    work: async () => (await import('./cells/restored.ts')).restoredBesideCells,
  },
  drill: {
    summary:
      'Restore a backup into a cluster of its own, run it paused, look, compare, remove it; exit code 1 when it fails',
    options: {
      from: {
        value: 'BACKUP',
        help: 'a dump (pg_dump -Fc), a base backup (pg_basebackup), pgbackrest:STANZA, or the URL of a running database',
        required: true,
      },
      archive: { value: 'FOLDER', help: 'archived log, which is replayed onto a base backup' },
      until: {
        value: 'TIME',
        help: 'up to this time (2026-11-22 21:30:00+00), with --archive or pgbackrest:',
      },
      against: { value: 'URL', help: 'what it is compared with (the database of the settings)' },
      database: { value: 'NAME', help: 'the name of the database (that of the settings, or comanda)' },
      superuser: { value: 'ROLE', help: 'of the cluster that a base backup is of (postgres)' },
      programs: { value: 'FOLDER', help: 'where pg_restore is (/usr/lib/postgresql/*/bin, or the PATH)' },
      folder: { value: 'FOLDER', help: 'where the copy is made and removed (the temporary one)' },
    },
    work: async () => (await import('../../../extras/operator/src/drill/command.ts')).drillCommand,
  },
};
