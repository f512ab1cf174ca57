import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { matchesEtag } from '../../packages/api/src/call/conditional.ts';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { operations } from '../support/documented.ts';

/**
 * Every pattern that meets text from outside, with the worst text for it at a length. It is tried at two lengths
 * far beyond what a header or a field may have: linear work grows 16 times, squared work 256 times.
 */
const bearer = /^Bearer +([^ ]+) *$/i;
const worst: [
  about: string,
  pattern: RegExp | ((text: string) => unknown),
  text: (length: number) => string,
][] = [
  ['Bearer with spaces', bearer, (length) => `Bearer ${' '.repeat(length)}`],
  ['Bearer with spaces behind', bearer, (length) => `Bearer a${' '.repeat(length)}b`],
  ['entity tags of commas', (text) => matchesEtag(text, '"x"'), (length) => ','.repeat(length)],
  ['entity tags of quotes', (text) => matchesEtag(text, '"x"'), (length) => ',"'.repeat(length / 2)],
  ['entity tags of spaces', (text) => matchesEtag(text, '"x"'), (length) => `${', '.repeat(length / 2)}"`],
  [
    'an entity tag without an end',
    (text) => matchesEtag(text, '"x"'),
    (length) => `"${'a,'.repeat(length / 2)}`,
  ],
  [
    'an entity tag with a tail',
    (text) => matchesEtag(text, '"x"'),
    (length) => `"a"${' \t'.repeat(length / 2)}x`,
  ],
  ['a date', dateOf, (length) => `${'2'.repeat(length)}-`],
  ['a timestamp', timestampOf, (length) => `2026-01-01T00:00:00.${'0'.repeat(length)}`],
  ['a URL', urlOf, (length) => `https://${'a.'.repeat(length / 2)}`],
  ['a URL of dots', urlOf, (length) => `https://local${'.'.repeat(length)}x`],
];

test.each(worst)('no text keeps a pattern busy: %s', (_about, pattern, text) => {
  const run = typeof pattern === 'function' ? pattern : (given: string) => pattern.test(given);
  const short = text(4_000);
  const long = text(64_000);
  for (let warm = 0; warm < 20; warm++) run(short);
  // The least of several, in time of the processor: others use this machine too. Below a tenth of a millisecond only the
  // clock is measured.
  const [small, large] = [least(() => run(short)), least(() => run(long))];
  expect(large / Math.max(small, 0.1)).toBeLessThan(100);
});

// A pattern inside which something repeats that repeats itself is the one that explodes.
test('no pattern repeats what repeats', () => {
  const patterns = sources().flatMap(({ file, text }) =>
    [
      ...text.matchAll(
        /(?<![*/\w])\/(?![*/ ])((?:\\.|\[(?:\\.|[^\]])*\]|[^/\n\\[])+)\/[dgimsuvy]*(?=[.,;)\s])/g,
      ),
    ].map(([, pattern = '']) => ({ file, pattern })),
  );
  expect(patterns.length).toBeGreaterThan(20);
  const nested = patterns.filter(({ pattern }) =>
    /\((?:[^()\\]|\\.)*[*+](?:[^()\\]|\\.)*\)[*+{]/.test(pattern),
  );
  expect(nested).toEqual([]);
});

function sources(): { file: string; text: string }[] {
  const folder = join(repositoryRoot, 'packages');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /^(api|cli|db|worker)\/src\/.*\.ts$/.test(name) && !name.includes('generated'))
    .map((file) => ({ file, text: readFileSync(join(folder, file), 'utf8') }));
}

function least(run: () => unknown): number {
  const took = Array.from({ length: 7 }, () => {
    const before = process.cpuUsage();
    run();
    return process.cpuUsage(before).user / 1_000;
  });
  return Math.min(...took);
}

function inputOf(name: string) {
  const found = operations.find((operation) => operation.name === name);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found.input;
}

function dateOf(text: string): unknown {
  return inputOf('orders.list').safeParse({ from: text });
}

function timestampOf(text: string): unknown {
  return inputOf('stock.list').safeParse({ updated_since: text });
}

function urlOf(text: string): unknown {
  return inputOf('webhookEndpoints.create').safeParse({ url: text, events: ['order.created'] });
}
