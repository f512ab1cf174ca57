import { escaped, plainHtml } from './plain-html.ts';

/** A page of which nothing but its Markdown is there yet. */
export interface PlainPage {
  /** `guides/orders` */
  path: string;
  markdown: string;
  /** The description for a web search. */
  description: string;
  /** The list next to it. */
  sections: readonly { text: string; items: readonly { text: string; link: string }[] }[];
}

/** The page as HTML that needs no script: what is served until the site is built. */
export function plainPage({ path, markdown, description, sections }: PlainPage): string {
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
${plainHtml(withoutForm(markdown), (to) => addressOf(to, path))}
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
function addressOf(to: string, path: string): string {
  if (/^(\w+:|\/|#)/.test(to)) return to;
  const { pathname, hash } = new URL(to, `http://here/docs/${path}.md`);
  return pathname.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '') + hash;
}
