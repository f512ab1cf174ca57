import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { reasonsText } from '../../packages/api/src/documents/site/errors-page.ts';
import { type ReasonRow, readReasons, reasons } from '../../packages/api/src/reasons.ts';
import { repositoryRoot } from '../../packages/db/src/root.ts';

const names = Object.keys(reasons);
const sources = join(repositoryRoot, 'packages/api/src');
const code = readdirSync(sources, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && name !== 'reasons.ts')
  .map((name) => readFileSync(join(sources, name), 'utf8'))
  .join('\n');

describe('the table of reasons', () => {
  it('holds none that the code does not give', () => {
    expect(names.filter((name) => !code.includes(`'${name}'`))).toEqual([]);
  });

  it('says of each in one sentence what happened, and in one what to do', () => {
    const sentence = /^[A-Z][^.!?]*\.$/;
    for (const [name, { meaning, todo }] of Object.entries<ReasonRow>(readReasons)) {
      expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
      for (const said of [meaning, todo]) expect(said.replace(/`[^`]*`/g, 'X'), name).toMatch(sentence);
    }
  });

  it('is docs/errors.md, as npm run docs makes it', () => {
    expect(readFileSync(join(repositoryRoot, 'docs/errors.md'), 'utf8')).toBe(reasonsText());
  });
});
