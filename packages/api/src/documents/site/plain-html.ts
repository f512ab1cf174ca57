/**
 * Our Markdown as HTML, for pages that no generator builds: headings with anchors, paragraphs, lists, tables, blocks of code; within a
 * line code, strong text and links. The documents use nothing else, which a test holds.
 * @param linkTo the address that a link of the page leads to
 */
export function plainHtml(markdown: string, linkTo: (link: string) => string): string {
  const anchors = new Map<string, number>();
  const inline = (text: string) => inlineHtml(text, linkTo);
  const block = ([first = '', ...more]: readonly string[]): string => {
    const fence = /^```(\w*)/.exec(first);
    if (fence !== null)
      return `<pre tabindex="0"><code>${escaped(more.slice(0, -1).join('\n'))}\n</code></pre>`;
    const [, marks = '', title = ''] = /^(#{1,6}) +(.*)$/.exec(first) ?? [];
    if (marks !== '') {
      const id = unusedAnchor(title, anchors);
      return `<h${marks.length} id="${id}">${inline(title)}</h${marks.length}>`;
    }
    if (first.startsWith('|')) return tableHtml([first, ...more], inline);
    const list = listMark.exec(first);
    if (list === null) return `<p>${inline([first, ...more].join('\n'))}</p>`;
    const kind = /\d/.test(first.slice(0, list[0].length)) ? 'ol' : 'ul';
    const items = itemsOf([first, ...more]).map((lines) => {
      const inner = blocksOf(lines);
      // An item of one paragraph is that paragraph's text.
      return inner.length === 1 && isText(inner[0]) ? inline(lines.join('\n')) : inner.map(block).join('\n');
    });
    return `<${kind}>\n${items.map((item) => `<li>${item}</li>`).join('\n')}\n</${kind}>`;
  };
  return blocksOf(markdown.split('\n')).map(block).join('\n');
}

/** The anchor of a heading, as the generator makes it too. */
const anchorOf = (title: string): string =>
  plainText(title).trim().toLowerCase().replace(/\W+/g, '-').replace(/^-|-$/g, '');

/** Text as HTML has it. */
export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const listMark = /^(?:[-*]|\d+\.) +/;
const isText = (lines: readonly string[] = []): boolean => !/^(```|#|\||[-*] |\d+\. )/.test(lines[0] ?? '');
const plainText = (text: string): string => text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '');

/** The lines of each block: of code with both fences, of a list with all its items, of anything else up to an empty line. */
function blocksOf(lines: readonly string[]): string[][] {
  const blocks: string[][] = [];
  let open: string[] | undefined;
  let until: 'fence' | 'list' | 'text' = 'text';
  for (const [index, line] of lines.entries()) {
    if (open !== undefined && until === 'fence') {
      open.push(line);
      if (line.startsWith('```')) open = undefined;
    } else if (open !== undefined && until === 'list' && goesOn(line, lines[index + 1])) open.push(line);
    else if (line.trim() === '') open = undefined;
    else if (open !== undefined && until === 'text' && !startsBlock(line, open)) open.push(line);
    else {
      open = [line];
      until = line.startsWith('```') ? 'fence' : listMark.test(line) ? 'list' : 'text';
      blocks.push(open);
      if (/^#{1,6} /.test(line)) open = undefined;
    }
  }
  return blocks;
}

const startsBlock = (line: string, open: readonly string[]): boolean =>
  /^(```|#{1,6} )/.test(line) ||
  line.startsWith('|') !== (open[0] ?? '').startsWith('|') ||
  /^[-*] /.test(line);

/** Whether a list has this line: another item, what is indented, or an empty line before one of these. */
const goesOn = (line: string, next = ''): boolean =>
  line.trim() === ''
    ? /^ {2,}\S/.test(next) || listMark.test(next)
    : /^\s/.test(line) || !/^(```|#|\|)/.test(line);

function itemsOf(lines: readonly string[]): string[][] {
  const items: string[][] = [];
  let indent = 0;
  for (const line of lines) {
    const mark = listMark.exec(line)?.[0];
    if (mark !== undefined) {
      indent = mark.length;
      items.push([line.slice(indent)]);
    } else items.at(-1)?.push(line.slice(Math.min(indent, line.length - line.trimStart().length)));
  }
  return items;
}

function tableHtml(lines: readonly string[], inline: (text: string) => string): string {
  const cells = (line: string) =>
    line
      .trim()
      .replace(/^\||\|$/g, '')
      .split(/(?<!\\)\|/)
      .map((cell) => inline(cell.trim().replaceAll('\\|', '|')));
  const row = (line: string, tag: string) =>
    `<tr>${cells(line)
      .map((cell) => `<${tag}>${cell}</${tag}>`)
      .join('')}</tr>`;
  const [head = '', , ...rows] = lines;
  // A table that scrolls on a narrow screen must be reachable by the keyboard.
  return `<div class="table" tabindex="0"><table>\n${row(head, 'th')}\n${rows.map((line) => row(line, 'td')).join('\n')}\n</table></div>`;
}

/** Code spans are set aside first: a bracket or an asterisk in one is no link and no strong text. */
function inlineHtml(text: string, linkTo: (link: string) => string): string {
  const spans: string[] = [];
  const setAside = text.replace(/`([^`]+)`/g, (_, code: string) => {
    spans.push(`<code>${escaped(code)}</code>`);
    return `\uE000${spans.length - 1}\uE001`;
  });
  return escaped(setAside)
    .replace(/&amp;(#\d+|\w+);/g, '&$1;')
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replace(
      /\[([^\]]*)\]\(([^)\s]+)\)/g,
      (_, label: string, link: string) =>
        `<a href="${escaped(linkTo(link.replaceAll('&amp;', '&')))}">${label}</a>`,
    )
    .replace(/\uE000(\d+)\uE001/g, (_, index: string) => spans[Number(index)] ?? '');
}

/** The second heading of a name has the anchor `name-1`, as the generator gives it. */
function unusedAnchor(title: string, used: Map<string, number>): string {
  const anchor = anchorOf(title);
  const before = used.get(anchor) ?? 0;
  used.set(anchor, before + 1);
  return before === 0 ? anchor : `${anchor}-${before}`;
}
