import type { Command } from '../command.ts';

/** The commands that work in several databases. */
export const cellCommands: Record<string, Command> = {
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
    work: async () => (await import('./move.ts')).moveLocation,
  },
  'cells map': {
    summary: 'Print which cell each location lives in, by the code in its keys',
    options: {
      cells: { value: 'FILE', help: 'the file of cells', required: true },
      for: { value: 'FORM', help: 'haproxy, nginx or json', required: true },
      output: { value: 'FILE', help: 'write it here at once, and say whether it changed' },
    },
    work: async () => (await import('./command.ts')).cellsMap,
  },
  'cells check': {
    summary: 'Ask the database and the API of every cell how they do; exit code 1 when one is not well',
    options: { cells: { value: 'FILE', help: 'the file of cells', required: true } },
    work: async () => (await import('./command.ts')).cellsCheck,
  },
};
