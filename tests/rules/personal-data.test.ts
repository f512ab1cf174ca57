import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repositoryRoot } from '../../packages/db/src/root.ts';

const read = (...path: string[]) => readFileSync(join(repositoryRoot, ...path), 'utf8');

/** What schema.prisma marks: `/// Personal: …` above a field. */
function marked(): string[] {
  return [...read('prisma', 'schema.prisma').matchAll(/^model \w+ \{\n([\s\S]*?)^\}/gm)].flatMap(
    ([, body = '']) => {
      const table = /@@map\("(\w+)"\)/.exec(body)?.[1];
      return [...body.matchAll(/\/\/\/ Personal: .*\n(?:\s*\/\/\/.*\n)*\s+(\w+)(.*)/g)].map(
        ([, field, rest = '']) => `${table}.${/@map\("(\w+)"\)/.exec(rest)?.[1] ?? field}`,
      );
    },
  );
}

it('the list of personal data in the operator guide is what the schema marks as personal', () => {
  const [, section = ''] = read('docs', 'operations.md').split('### Personal data');
  const [list = ''] = section.split('\n## ');
  const listed = [...list.matchAll(/`(\w+\.\w+)`(?=[^|]*\|.*\|.*\|$)/gm)].map(([, column]) => column);
  expect(listed.toSorted()).toEqual(marked().toSorted());
  expect(listed.length).toBeGreaterThan(10);
});
