import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { repositoryRoot } from '@comanda/db';
import { complain, note, printable, redraw, rowsText, say, sayRecords, sayRows } from '@comanda/db/terminal';
import { describe, expect, it, test, vi } from 'vitest';
import { codeOf, controls, controlsIn, halves } from '../support/controls.ts';
import { printsByItself } from '../support/printing.ts';

const everyUnit = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit));
const known = new Set([...controls, ...halves]);
const isHalf = (mark: string) => mark >= '\ud800' && mark <= '\udfff';

describe('a text is shown', () => {
  it('with a code for every control, and for nothing else', () => {
    for (const mark of everyUnit)
      expect(printable(mark)).toBe(known.has(mark) || isHalf(mark) ? codeOf(mark) : mark);
    for (const text of ['é', 'ña', '日本', '🍕', '👩‍🍳', 'שלום', '\\u001b'])
      expect(printable(text)).toBe(text);
  });

  it('as JSON of the same value', () => {
    const value = { [controls.join('')]: [...controls, ...halves, '🍕', { deep: controls }] };
    const text = printable(JSON.stringify(value));
    expect(controlsIn(text)).toEqual([]);
    expect(JSON.parse(text)).toEqual(value);
  });

  it('alike by comanda.py', () => {
    const program = [
      'import json, sys',
      `sys.path.insert(0, ${JSON.stringify(join(repositoryRoot, 'dist/docs'))})`,
      'from comanda import _printable',
      'units = [chr(unit) for unit in range(0x10000)]',
      'print(json.dumps([unit for unit in units if _printable(unit) != unit]))',
      'print(json.dumps([_printable(unit) for unit in units if _printable(unit) != unit]))',
    ];
    const { stdout, error } = spawnSync('python3', ['-B', '-c', program.join('\n')], { encoding: 'utf8' });
    if (error !== undefined)
      return console.warn('Python is not on this machine: comanda.py is not compared.');
    const shown = everyUnit.filter((mark) => known.has(mark) || isHalf(mark));
    const [marks = '', codes = ''] = stdout.split('\n');
    expect(JSON.parse(marks)).toEqual(shown);
    expect(JSON.parse(codes)).toEqual(shown.map(codeOf));
  });
});

describe('the writer', () => {
  function written(work: () => void): { stdout: string; stderr: string } {
    const texts = { stdout: '', stderr: '' };
    const spies = (['stdout', 'stderr'] as const).map((name) =>
      vi.spyOn(process[name], 'write').mockImplementation((text) => {
        texts[name] += String(text);
        return true;
      }),
    );
    work();
    for (const spy of spies) spy.mockRestore();
    return texts;
  }
  const hostile = `a${controls.join('')}b`;
  const shown = `a${controls.map(codeOf).join('')}b`;

  it('writes as many lines as there are', () => {
    const many = Array.from({ length: 300_000 }, () => 'x');
    expect(written(() => say(many)).stdout).toBe('x\n'.repeat(300_000));
  });

  it('keeps each line a line', () => {
    expect(written(() => say(['first', hostile]))).toEqual({ stdout: `first\n${shown}\n`, stderr: '' });
    expect(written(() => note(hostile))).toEqual({ stdout: '', stderr: `${shown}\n` });
  });

  it('indents what follows the first line of a failure', () => {
    const { stderr } = written(() => complain('comanda', 'no\ncomanda: all is well\u001b[2J'));
    expect(stderr).toBe('comanda: no\n  comanda: all is well\\u001b[2J\n');
  });

  it('keeps records of a log apart by their own line breaks alone', () => {
    const records = [{ path: hostile }, { path: 'é' }];
    const { stdout } = written(() => sayRecords(records.map((each) => `${JSON.stringify(each)}\n`).join('')));
    expect(controlsIn(stdout)).toEqual([]);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(records);
  });

  it('keeps rows of a table rows, and a line break in a cell', () => {
    const { stdout } = written(() => sayRows(['a,"b\r\nc"', hostile]));
    expect(stdout.startsWith('a,"b\nc"\r\na')).toBe(true);
    expect(stdout.endsWith('b\r\n')).toBe(true);
    expect(controlsIn(stdout.replaceAll('\r\n', ''))).toEqual([]);
    expect(rowsText([])).toBe('');
  });

  it('draws a line again by its own order alone', () => {
    let drawn = '';
    redraw({ write: (text) => (drawn += text) }, hostile);
    expect(drawn).toBe(`\r\u001b[K${shown}`);
  });
});

test.each([
  ["process.stdout.write('x')", true],
  ['  console.error(error);', true],
  ['for (const stream of [process.stderr]) use(stream);', true],
  ['// console.log(text)', false],
  ['/** @example\n * console.log(order.number)\n */', false],
  ["import { say } from '@comanda/db/terminal';\nsay('x');", false],
])('the rule about writers judges %j', (source, prints) => {
  expect(printsByItself(source)).toBe(prints);
});
