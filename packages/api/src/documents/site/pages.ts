import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { oas31 } from 'zod-openapi';
import { permissions } from '../../permissions.ts';
import { appRouter } from '../../router.ts';
import { openApiDocument } from '../openapi.ts';
import { brunoCollection } from './bruno.ts';
import { type Documented, documentedOf, pathOf, titleOf } from './documented.ts';
import { errorsPage, sharedErrors } from './errors-page.ts';
import { feedOf } from './feed.ts';
import { descriptionOf, plainMarkdown, prose, table } from './markdown.ts';
import { operationPage } from './operation-page.ts';
import { postmanCollection } from './postman.ts';

/** Everything of the site before it becomes HTML. */
export interface Site {
  /** Markdown by path, as in `guides/orders`, as the generator reads it. */
  pages: Map<string, string>;
  /** The same pages as they are served as `.md`. */
  plain: Map<string, string>;
  /** The description of each page for a web search, by path. */
  descriptions: Record<string, string>;
  sidebar: Sidebar;
  /** `llms.txt` */
  index: string;
  /** `changelog.xml` */
  feed: string;
  /** The collections for Postman and Bruno, and the flows for Node-RED, by the name of their file. */
  collections: Map<string, string>;
}

/** The sidebars of the pages, by the beginning of their paths. */
export type Sidebar = Record<string, Section[]>;

interface Section {
  text: string;
  items: { text: string; link: string }[];
}

/** Makes it from docs/guides, CHANGELOG.md, docs/events.md and the tables that the code runs on, all below `root`. */
export async function makeSite(root: string): Promise<Site> {
  const documents = {
    v2: await openApiDocument(appRouter, 'v2'),
    v1: await openApiDocument(appRouter, 'v1'),
  };
  const operations = (['v2', 'v1'] as const).flatMap((version) => documentedOf(version, documents[version]));
  const shared = sharedErrors(operations);
  const pages = new Map<string, string>([
    ['index', guide(root, 'docs/site/index.md')],
    ['errors', errorsPage(operations)],
    ['changelog', guide(root, 'CHANGELOG.md')],
    ['reference/events', guide(root, 'docs/events.md')],
    ['reference/permissions', permissionsPage(operations)],
    ...(['v2', 'v1'] as const).map((version): [string, string] => [
      `reference/${version}/index`,
      overview(version, documents[version], operations),
    ]),
    ...operations.map((each): [string, string] => [pathOf(each), operationPage(each, shared)]),
  ]);
  for (const { path } of guides) {
    if (!pages.has(path)) pages.set(path, guide(root, `docs/${path}.md`));
  }
  const feed = feedOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'));
  return {
    pages,
    plain: new Map([...pages].map(([path, text]) => [path, plainMarkdown(text)])),
    descriptions: Object.fromEntries([...pages].map(([path, text]) => [path, descriptionOf(text)])),
    sidebar: sidebarOf(documents, operations),
    index: indexOf(operations),
    feed,
    collections: new Map([
      ...(['v2', 'v1'] as const).flatMap((version): [string, string][] => [
        [`postman-${version}.json`, collectionText(postmanCollection(version, documents[version]))],
        [`bruno-${version}.json`, collectionText(brunoCollection(version, documents[version]))],
      ]),
      ...readdirSync(join(root, 'examples/node-red')).map((file): [string, string] => [
        `node-red-${file}`,
        readFileSync(join(root, 'examples/node-red', file), 'utf8'),
      ]),
    ]),
  };
}

const collectionText = (collection: object) => `${JSON.stringify(collection, null, 1)}\n`;

/** A Markdown source, without the marks of what is made. Its links lead to files of the repository; the site has pages in place of some of them. */
function guide(root: string, file: string): string {
  return readFileSync(join(root, file), 'utf8')
    .replace(/^```(\w+) (?:examples|extras)\/\S+$/gm, '```$1')
    .replace(/^<!-- .* -->\n/gm, '')
    .replace(/\]\(\.\.\/\.\.\/examples\/node-red\/([\w-]+\.json)\)/g, '](/docs/node-red-$1){target="_self"}')
    .replaceAll('](../../CHANGELOG.md', '](../changelog.md')
    .replaceAll('](../events.md', '](../reference/events.md')
    .replaceAll('](../api.md#permissions)', '](../reference/permissions.md)')
    .replace(/\]\(\.\.\/api\.md#(v\d)\)/g, '](../reference/$1/index.md)')
    .replace(/\]\(\.\.\/api\.md#(v\d)-([\w-]+)\)/g, '](../reference/$1/$2.md)');
}

function overview(version: 'v1' | 'v2', { tags = [] }: oas31.OpenAPIObject, all: Documented[]): string {
  const operations = all.filter((each) => each.version === version);
  return [
    `# API reference, ${version}`,
    version === 'v2'
      ? 'Everything the API can do. A call needs `Authorization: Bearer <key>`, a body `Content-Type: application/json`.'
      : 'The first family. It stays as it is; [what v2 adds](../../guides/v1-to-v2.md).',
    'For generators: [`/openapi-' +
      version +
      '.json`](/openapi-' +
      version +
      '.json){target="_self"}, OpenAPI 3.1. ' +
      'To try calls: each page has a form that sends its call with a key of a [sandbox](../../guides/sandbox.md). A sandbox that was ' +
      '[reset](../v2/sandbox-reset.md) has the demo restaurant, whose ids the form fills in. ' +
      'For [Postman](/docs/postman-' +
      version +
      '.json){target="_self"} and [Bruno](/docs/bruno-' +
      version +
      '.json){target="_self"}: a collection with every operation, whose requests set the ids that they need from the demo restaurant of a sandbox.',
    ...tags.flatMap(({ name = '', description = '' }) => {
      const rows = operations
        .filter(({ operation }) => operation.tags?.includes(name))
        .map((each) => [
          `[${each.operation.summary}](../../${pathOf(each)}.md)`,
          `\`${each.method} ${each.path}\``,
        ]);
      return rows.length === 0 ? [] : [`## ${name}`, prose(description), table(['Operation', 'Call'], rows)];
    }),
    ...(version === 'v2'
      ? ['## Webhook events', 'The events that endpoints receive: [every event](../events.md).']
      : []),
    '',
  ].join('\n\n');
}

function permissionsPage(operations: Documented[]): string {
  const rows = Object.entries(permissions).map(([name, meaning]) => {
    const needing = operations.filter(
      ({ operation }) => (operation as { 'x-permission'?: string })['x-permission'] === name,
    );
    const links = needing.map((each) => `[\`${each.method} ${each.path}\`](../${pathOf(each)}.md)`);
    return [`\`${name}\``, meaning, links.length === 0 ? 'in-house apps only' : links.join(', ')];
  });
  return [
    '# Permissions',
    'The operator gives a key its permissions when it is made. A key may also hold `resource:*`, or `*` for all. ' +
      'Ask for no more than the program needs: a key that leaks can do no more than that.',
    table(['Permission', 'Lets a key', 'Operations'], rows),
    '',
  ].join('\n\n');
}

function sidebarOf(documents: Record<'v1' | 'v2', oas31.OpenAPIObject>, operations: Documented[]): Sidebar {
  const reference = {
    text: 'Reference',
    items: [
      { text: 'API v2', link: '/reference/v2/' },
      { text: 'API v1', link: '/reference/v1/' },
      { text: 'Events', link: '/reference/events' },
      { text: 'Permissions', link: '/reference/permissions' },
    ],
  };
  const byTag = (version: 'v1' | 'v2'): Section[] =>
    (documents[version].tags ?? [])
      .map(({ name = '' }) => ({
        text: name,
        items: operations
          .filter((each) => each.version === version && each.operation.tags?.includes(name))
          .map((each) => ({ text: each.operation.summary ?? '', link: `/${pathOf(each)}` })),
      }))
      .filter(({ items }) => items.length > 0);
  return {
    '/reference/v2/': [reference, ...byTag('v2')],
    '/reference/v1/': [reference, ...byTag('v1')],
    '/': [
      { text: 'Guides', items: guides.map(({ path, title }) => ({ text: title, link: `/${path}` })) },
      reference,
    ],
  };
}

/** The guides in the order in which one reads them: the file in docs/guides, or the page that is made. */
export const guides = [
  { path: 'guides/quick-start', title: 'Quick start' },
  { path: 'guides/first-sync', title: 'First sync and the map of ids' },
  { path: 'guides/orders', title: 'Orders and safe repeats' },
  { path: 'guides/paid-while-unavailable', title: 'Money taken while we answer 503' },
  { path: 'guides/closing-the-day', title: 'Closing the day' },
  { path: 'guides/erp', title: 'An ERP, end to end' },
  { path: 'errors', title: 'Errors' },
  { path: 'guides/limits', title: 'Rate limits' },
  { path: 'guides/paging', title: 'Paging and reading changes' },
  { path: 'guides/webhooks', title: 'Webhooks' },
  { path: 'guides/verify-a-webhook', title: 'Verify a webhook' },
  { path: 'guides/feed', title: 'The feed, and catching up' },
  { path: 'guides/live-screen', title: 'A live screen' },
  { path: 'guides/comanda-mjs', title: 'Webhooks on your own machine' },
  { path: 'guides/files', title: 'ERPs that only write files' },
  { path: 'guides/python', title: 'A client for Python' },
  { path: 'guides/languages', title: 'Clients for Java, C# and PHP, and other tools' },
  { path: 'guides/mcp', title: 'Tools for models (MCP)' },
  { path: 'guides/chain', title: 'A chain of 200 restaurants' },
  { path: 'guides/sandbox', title: 'Sandbox' },
  { path: 'guides/certify', title: 'Certification' },
  { path: 'guides/server-in-front', title: 'A server in front of browsers' },
  { path: 'guides/testing', title: 'Tests of your application' },
  { path: 'guides/going-live', title: 'Going live' },
  { path: 'guides/v1-to-v2', title: 'From v1 to v2' },
  { path: 'guides/deprecation', title: 'Versions, changes and deprecation' },
  { path: 'contract', title: 'The contract' },
  { path: 'contract-resources', title: 'Contract: orders, catalog, jobs, money' },
  { path: 'contract-events', title: 'Contract: webhooks and events' },
  { path: 'contract-sandbox', title: 'Contract: sandbox and certification' },
  { path: 'contract-typed-client', title: 'Contract: typed client' },
  { path: 'changelog', title: 'Changelog' },
] as const;

/** `llms.txt`, the list for language models: every page as Markdown. */
export function indexOf(operations: Documented[]): string {
  const line = (title: string, path: string, said = '') => `- [${title}](/docs/${path}.md)${said}`;
  return [
    '# Comanda',
    '> An ordering integration platform: orders, catalog, stock, payments and settlements of restaurants over REST, and signed webhooks.',
    '## Guides',
    [
      line('Overview', 'index'),
      ...guides.map(({ path, title }) => line(title, path)),
      '- [Changelog as an Atom feed](/docs/changelog.xml)',
    ].join('\n'),
    '## Reference',
    [
      line('Events', 'reference/events'),
      line('Permissions', 'reference/permissions'),
      line('API v2', 'reference/v2/index'),
      line('API v1', 'reference/v1/index'),
      '- [OpenAPI 3.1 of v2](/openapi-v2.json)',
      '- [OpenAPI 3.1 of v1](/openapi-v1.json)',
      '- [Postman collection of v2](/docs/postman-v2.json)',
      '- [Postman collection of v1](/docs/postman-v1.json)',
      '- [Bruno collection of v2](/docs/bruno-v2.json)',
      '- [Bruno collection of v1](/docs/bruno-v1.json)',
    ].join('\n'),
    '## Operations',
    operations.map((each) => line(titleOf(each), pathOf(each), `: ${each.method} ${each.path}`)).join('\n'),
    '',
  ].join('\n\n');
}
