import { guides } from './contents.ts';
import { type Documented, pathOf, titleOf } from './documented.ts';

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
    ].join('\n'),
    '## Operations',
    operations.map((each) => line(titleOf(each), pathOf(each), `: ${each.method} ${each.path}`)).join('\n'),
    '',
  ].join('\n\n');
}
