import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Served } from '../served.ts';
import { addressOf, typeOf } from '../site-files.ts';
import { makeSite, type Sidebar } from './pages.ts';
import { escaped, plainHtml } from './plain-html.ts';

/**
 * The documents by the paths they are served at, without their generator: every page as HTML without script and as Markdown, `llms.txt`,
 * the feed of changes and the collections. Made of the sources below `root` (docs/guides, CHANGELOG.md), and of the tables of the code.
 * @throws {Error} where the sources are not there, as in a package.
 */
export async function plainSite(root: string): Promise<Map<string, Served>> {
  const { plain, descriptions, sidebar, index, feed, collections } = await makeSite(root);
  const page = (path: string, markdown: string) =>
    plainPage({
      path,
      markdown,
      description: descriptions[path] ?? '',
      sections: sectionsFor(path, sidebar),
    });
  const files: [name: string, make: Served['make']][] = [
    ...[...plain].flatMap(([path, text]): [string, Served['make']][] => [
      [`${path}.html`, () => page(path, text)],
      [`${path}.md`, () => text],
    ]),
    ['404.html', () => page('404', lost)],
    ['plain.css', () => plainStyle],
    ['icon.svg', () => readFileSync(join(root, 'docs/site/icon.svg'))],
    ['llms.txt', () => index],
    ['changelog.xml', () => feed],
    ...[...collections].map(([name, text]): [string, Served['make']] => [name, () => text]),
  ];
  return new Map(files.map(([name, make]) => [addressOf(name), { type: typeOf(name), make }]));
}

/** The longest beginning that has a list: `/` has one. */
function sectionsFor(path: string, sidebar: Sidebar): Sidebar[string] {
  const beginnings = Object.keys(sidebar).filter((each) => `/${path}`.startsWith(each));
  return sidebar[beginnings.sort((one, other) => other.length - one.length)[0] ?? '/'] ?? [];
}

const lost = `# Page not found

The documents have no page at this address.

[Overview](/docs/), [quick start](/docs/guides/quick-start), [API reference](/docs/reference/v2/), [errors](/docs/errors)
`;

/** A page of which nothing but its Markdown is there yet. */
interface PlainPage {
  /** `guides/orders` */
  path: string;
  markdown: string;
  /** The description for a web search. */
  description: string;
  /** The list next to it. */
  sections: readonly { text: string; items: readonly { text: string; link: string }[] }[];
}

/** The page as HTML that needs no script: what is served until the site is built. */
function plainPage({ path, markdown, description, sections }: PlainPage): string {
  const title = /^# (.*)$/m.exec(markdown)?.[1] ?? 'Comanda';
  const list = sections.map(({ text, items }) => {
    const links = items.map((item) => `<li>${link(`/docs${item.link}`, item.text)}</li>`);
    return `<h2>${escaped(text)}</h2>\n<ul>\n${links.join('\n')}\n</ul>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title.replaceAll('`', ''))} | Comanda</title>
<meta name="description" content="${escaped(description)}">
<link rel="icon" type="image/svg+xml" href="/docs/icon.svg">
<link rel="stylesheet" href="/docs/plain.css">
<link rel="alternate" type="application/atom+xml" title="Changes" href="/docs/changelog.xml">
</head>
<body>
<header>${link('/docs/', 'Comanda')} ${link('/docs/guides/quick-start', 'Quick start')} ${link('/docs/reference/v2/', 'API v2')} ${link('/docs/reference/events', 'Events')}</header>
<main>
${plainHtml(withoutForm(markdown), (to) => targetOf(to, path))}
</main>
<nav aria-label="Pages">
${list.join('\n')}
<p>These are the plain pages. The documents with search, samples in tabs and forms for calls are built by <code>npm run site</code>.</p>
</nav>
</body>
</html>
`;
}

const link = (href: string, text: string): string => `<a href="${escaped(href)}">${escaped(text)}</a>`;

/** The form for the call is a script of the site. */
const withoutForm = (markdown: string): string => markdown.replace(/^### Try it\n[\s\S]*?(?=^#{1,3} )/m, '');

/** The target of a link: a Markdown file next to the page is its page, and any other target stays. */
function targetOf(to: string, path: string): string {
  if (/^(\w+:|\/|#)/.test(to)) return to;
  const { pathname, hash } = new URL(to, `http://here/docs/${path}.md`);
  return pathname.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '') + hash;
}

/** The style of the plain pages: one column on a phone, the list of pages next to the text elsewhere. */
const plainStyle = `:root { color-scheme: light dark; }
body { margin: 0; font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
header { padding: 12px 24px; border-bottom: 1px solid #8886; }
header a { margin-right: 20px; }
header a:first-child { font-weight: 600; }
main, nav { padding: 8px 24px; min-width: 0; overflow-wrap: anywhere; }
nav { border-top: 1px solid #8886; font-size: 14px; }
nav h2 { margin: 16px 0 0; font-size: 14px; }
nav ul { margin: 4px 0; padding-left: 16px; }
a { color: light-dark(#0b4f9e, #8ec5ff); }
h1, h2, h3 { line-height: 1.25; }
pre { overflow-x: auto; padding: 12px 16px; border-radius: 6px; background: #8881; font-size: 14px; }
code { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: 0.9em; }
.table { overflow-x: auto; margin: 16px 0; }
table { border-collapse: collapse; overflow-wrap: normal; }
th, td { padding: 6px 12px; border: 1px solid #8886; text-align: left; vertical-align: top; }
@media (min-width: 960px) {
  body { display: grid; grid-template: auto 1fr / 280px minmax(0, 860px); }
  header { grid-column: 1 / 3; }
  main { grid-column: 2; grid-row: 2; }
  nav { grid-column: 1; grid-row: 2; border-top: 0; border-right: 1px solid #8886; }
}
`;
