import { afterAll, describe, expect, it } from 'vitest';
import { commands } from '../../extras/operator/src/commands.ts';
import { useApi } from '../support/api.ts';
import { callComanda } from '../support/command.ts';

// A script reads standard output: the output of a command with --json is one document, and nothing else.

const api = useApi();
const comanda = (...argv: string[]) => callComanda({ DATABASE_URL: api.databaseUrl }, ...argv);
const nobody = '01a21cd9-5504-774b-9c24-c1370d0bdb22';
const seen = new Set<string>();
afterAll(() => expect([...seen].sort()).toEqual(Object.keys(commands).sort()));

describe('with --json more or less than one document came from', () => {
  it.concurrent.each(Object.entries(commands))('%s', async (name, { options, positionals = [] }) => {
    const words = name.split(' ');
    const required = Object.entries(options).flatMap(([option, { required }]) =>
      required ? [`--${option}`, 'nothing'] : [],
    );
    const called = await comanda(...words, ...positionals.map(() => nobody), ...required, '--json');
    const { error } = JSON.parse(called.stdout) as { error?: unknown };
    if (error !== undefined) expect(called.code).toBe(1);
    seen.add(name);
  });

  it.each([
    'keys create --help',
    'keys --help',
    '--help',
    'nothing',
    'keys nothing',
    '--version',
    'keys show',
  ])('comanda %s', async (line) => {
    const { stdout } = await comanda(...line.split(' '), '--json');
    expect(JSON.parse(stdout)).toBeTypeOf('object');
  });
});
