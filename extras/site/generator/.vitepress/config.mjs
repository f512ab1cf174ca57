import { readFileSync } from 'node:fs';
import { createCssVariablesTheme } from 'shiki';
import { defineConfig } from 'vitepress';
import { notSearched } from './search/options.mjs';

const made = (name) => JSON.parse(readFileSync(new URL(`../pages/${name}.json`, import.meta.url), 'utf8'));
const descriptions = made('descriptions');

/** The generator makes the page of a 404 by script alone: this is there before it, and goes when it comes. */
const beforeScript =
  '<main class="lost-first vp-doc"><h1>Page not found</h1><p>The documents have no page at this address.</p>' +
  '<p><a href="/docs/">Overview</a>, <a href="/docs/reference/v2/">API reference</a></p></main>';

export default defineConfig({
  title: 'Comanda',
  description: 'The ordering API: guides, reference, webhooks.',
  lang: 'en',
  base: '/docs/',
  srcDir: 'pages',
  cleanUrls: true,
  // The OpenAPI documents and the collections are served next to the site, not by it.
  ignoreDeadLinks: [/^\/docs\/(postman|bruno|node-red)-/, /^\/openapi-/],
  // The same sources give the same bytes: pages come into the search index one after the other.
  buildConcurrency: 1,
  // One file knows the names of all pages, in place of a script inside of each.
  metaChunk: true,
  // A change of colors would otherwise write a style element, which the policy of the pages does not allow.
  appearance: { disableTransition: false },
  head: [
    ['link', { rel: 'icon', type: 'image/svg+xml', href: '/docs/icon.svg' }],
    [
      'link',
      { rel: 'alternate', type: 'application/atom+xml', title: 'Changes', href: '/docs/changelog.xml' },
    ],
  ],
  markdown: {
    theme: createCssVariablesTheme({ name: 'comanda' }),
    // Shiki leaves the rest of a line plain after half a second, so on a busy machine every build would be another.
    codeTransformers: [
      {
        preprocess(_code, options) {
          options.tokenizeTimeLimit = 0;
        },
      },
    ],
    anchor: { slugify: (text) => text.trim().toLowerCase().replace(/\W+/g, '-').replace(/^-|-$/g, '') },
    config: (md) => {
      // The Markdown stays plain: the form comes below the words of its section.
      md.core.ruler.push('try-it', ({ tokens, env, Token }) => {
        if (!/^reference\/v\d+\//.test(env.relativePath ?? '')) return;
        const heading = tokens.findIndex(({ type, content }) => type === 'inline' && content === 'Try it');
        const end = tokens.findIndex(
          ({ type }, index) => heading >= 0 && index > heading && type === 'paragraph_close',
        );
        if (end < 0) return;
        const form = Object.assign(new Token('html_block', '', 0), { content: '<TryIt />\n' });
        tokens.splice(end + 1, 0, form);
      });
      const { highlight } = md.options;
      // Colors by class: the policy of the pages allows no style attribute.
      md.options.highlight = (...words) => {
        const html = highlight(...words);
        return html
          .replace(/style="color:var\(--shiki-([\w-]+)\);?"/g, 'class="$1"')
          .replace(/ style="[^"]*"/g, '');
      };
      // Tabs get their names by chance, and then every build would be another.
      const tabs = md.renderer.rules['container_code-group_open'];
      md.renderer.rules['container_code-group_open'] = (tokens, index, ...rest) => {
        let tab = 0;
        return tabs(tokens, index, ...rest)
          .replace(/name="group-[^"]*"/g, `name="group-${index}"`)
          .replace(/(id|for)="tab-[^"]*"/g, (_, what) => `${what}="tab-${index}-${Math.floor(tab++ / 2)}"`);
      };
    },
  },
  transformPageData: ({ relativePath }) => ({
    description: descriptions[relativePath.replace(/\.md$/, '')],
  }),
  transformHtml: (html, _id, { page }) =>
    (page === '404.md' ? html.replace('<div id="app"></div>', (app) => app + beforeScript) : html).replace(
      /(<[a-z][^>]*?) style="[^"]*"/g,
      '$1',
    ),
  themeConfig: {
    // The search is configured in theme/index.mjs: functions here would reach the browser as text that it must
    // evaluate.
    search: {
      provider: 'local',
      options: {
        _render: (source, env, md) => (notSearched.includes(env.relativePath) ? '' : md.render(source, env)),
      },
    },
    sidebar: made('sidebar'),
    outline: [2, 3],
    nav: [
      { text: 'Quick start', link: '/guides/quick-start' },
      { text: 'API v2', link: '/reference/v2/' },
      { text: 'Events', link: '/reference/events' },
    ],
  },
});
