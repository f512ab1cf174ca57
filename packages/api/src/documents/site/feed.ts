import { createHash } from 'node:crypto';

/**
 * A changelog as an Atom feed (RFC 4287), one entry for each version, in its order. A version begins with a heading
 * `## 1.2.0 (2027-03-01)`, or `## 1.2.0, unreleased (2027-03-01)`. Throws for a heading without a day.
 */
export function feedOf(changelog: string): string {
  const entries = changelog.split(/^## /m).slice(1).map(entryOf);
  const updated = entries.map((entry) => entry.updated).sort();
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    '<title>Comanda: changes</title>',
    `<id>${idOf('changelog')}</id>`,
    '<author><name>Comanda</name></author>',
    '<link rel="self" href="/docs/changelog.xml"/>',
    '<link href="/docs/changelog"/>',
    `<updated>${updated.at(-1)}</updated>`,
    ...entries.flatMap(({ version, title, updated, html }) => [
      '<entry>',
      `<title>${escaped(title)}</title>`,
      `<id>${idOf(version)}</id>`,
      '<link href="/docs/changelog"/>',
      `<updated>${updated}</updated>`,
      `<content type="html">${escaped(html)}</content>`,
      '</entry>',
    ]),
    '</feed>',
    '',
  ].join('\n');
}

function entryOf(section: string): { version: string; title: string; updated: string; html: string } {
  const [heading = '', ...lines] = section.split('\n');
  const [, title = '', version = '', day = ''] =
    /^((\S+?)(?:, unreleased)?) \((\d{4}-\d\d-\d\d)\)$/.exec(heading) ?? [];
  if (day === '') throw new Error(`CHANGELOG.md: "${heading}" is not "1.2.0 (2027-03-01)"`);
  return { version, title, updated: `${day}T00:00:00Z`, html: htmlOf(lines.join('\n')) };
}

/** Paragraphs and lists with code in them: what a changelog is made of. */
function htmlOf(markdown: string): string {
  const blocks = markdown.split(/\n{2,}|\n(?=- )/).map((block) => block.trim().replace(/\s*\n\s*/g, ' '));
  const html = blocks
    .filter((block) => block !== '')
    .map((block) => {
      const text = escaped(block.replace(/^- /, '')).replace(/`([^`]*)`/g, '<code>$1</code>');
      return block.startsWith('- ') ? `<ul><li>${text}</li></ul>` : `<p>${text}</p>`;
    });
  return html.join('').replaceAll('</ul><ul>', '');
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

// The same name has the same id wherever it is served. A UUID of version 8: made of a hash.
function idOf(name: string): string {
  const hash = createHash('sha256').update(`comanda ${name}`).digest('hex');
  const parts = [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `8${hash.slice(17, 20)}`];
  return `urn:uuid:${[...parts, hash.slice(20, 32)].join('-')}`;
}
