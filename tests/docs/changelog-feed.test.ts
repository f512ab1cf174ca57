import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '@comanda/db';
import { expect, onTestFinished, test } from 'vitest';
import { feedOf } from '../../packages/api/src/documents/site/feed.ts';
import { siteFiles } from '../../packages/api/src/documents/site-files.ts';

const changelog = `# Changelog

What users notice.

## 0.2.0, unreleased (2027-03-01)

- Prices under \`<10\` & over.
  They go on.
- Another.

## 0.1.0 (2026-12-24)

In words.

- Only one.
`;

test('the feed has an entry for each version, with its day and what changed', () => {
  const feed = feedOf(changelog);
  requireWellFormed(feed);
  const entries = [...feed.matchAll(/<entry>[\s\S]*?<\/entry>/g)].map(([entry]) => ({
    title: within(entry, 'title'),
    updated: within(entry, 'updated'),
    html: within(entry, 'content'),
  }));
  expect(entries).toEqual([
    {
      title: '0.2.0, unreleased',
      updated: '2027-03-01T00:00:00Z',
      html: '<ul><li>Prices under <code>&lt;10</code> &amp; over. They go on.</li><li>Another.</li></ul>',
    },
    { title: '0.1.0', updated: '2026-12-24T00:00:00Z', html: '<p>In words.</p><ul><li>Only one.</li></ul>' },
  ]);
  expect(within(feed, 'updated')).toBe('2027-03-01T00:00:00Z');
});

test('an entry keeps its id when its version is released, and each has one of its own', () => {
  const ids = (text: string) => [...feedOf(text).matchAll(/<id>(.*?)<\/id>/g)].map(([, id]) => id);
  const before = ids(changelog);
  expect(ids(changelog.replace('0.2.0, unreleased (2027-03-01)', '0.2.0 (2027-04-01)'))).toEqual(before);
  expect(new Set(before).size).toBe(3);
  for (const id of before)
    expect(id).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
});

test('a version without a day makes no feed', () => {
  expect(() => feedOf(changelog.replace(' (2026-12-24)', ''))).toThrow('CHANGELOG.md: "0.1.0" is not');
});

test('our own begins with the version of package.json', () => {
  const read = (name: string) => readFileSync(join(repositoryRoot, name), 'utf8');
  const feed = feedOf(read('CHANGELOG.md'));
  requireWellFormed(feed);
  const { version } = JSON.parse(read('package.json')) as { version: string };
  const first = /<entry>[\s\S]*?<\/entry>/.exec(feed)?.[0] ?? '';
  expect(within(first, 'title').split(',')[0]).toBe(version);
});

test('it is served as a feed next to the pages', () => {
  const folder = mkdtempSync(join(tmpdir(), 'comanda-feed-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'changelog.xml'), feedOf(changelog));
  expect(siteFiles(folder).get('/docs/changelog.xml')).toMatchObject({
    type: 'application/atom+xml; charset=utf-8',
    immutable: false,
  });
});

const within = (xml: string, name: string): string =>
  (new RegExp(`<${name}[^>]*>([\\s\\S]*?)</${name}>`).exec(xml)?.[1] ?? '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

function requireWellFormed(xml: string): void {
  const open: string[] = [];
  for (const [, closes, name = '', closed] of xml.matchAll(/<(\/?)([\w?]+)[^<>]*?(\/?)>/g)) {
    if (closes) expect(open.pop()).toBe(name);
    else if (!closed && name !== '?xml') open.push(name);
  }
  expect(open).toEqual([]);
  expect(xml.replace(/<[^<>]+>/g, '')).not.toMatch(/[<>]|&(?!(amp|lt|gt);)/);
}
