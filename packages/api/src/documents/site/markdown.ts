/** Text that becomes a paragraph or a cell: text outside of code is no HTML and no template. */
export function prose(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll('<', '&lt;').replaceAll('{', '&#123;')))
    .join('');
}

/** A table; what is a cell of it keeps no line break and no bar of its own. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** A block of code. */
export const fence = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\``;

/** `ordersUpdateStatus` as `orders-update-status`. */
export const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const cell = (text: string): string => text.replace(/\s*\n\s*/g, ' ').replaceAll('|', '\\|');

/**
 * A page of the site as plain Markdown: without what only its generator reads, that is groups of tabs, the names of tabs, attributes of
 * links and the escapes of templates. The name of a tab becomes a line before its block.
 */
export function plainMarkdown(page: string): string {
  return page
    .split(/^(```[\s\S]*?^```$)/m)
    .map((part, index) => (index % 2 === 1 ? plainBlock(part) : plainText(part)))
    .join('');
}

const plainBlock = (block: string): string =>
  block.replace(
    /^```(\w+) \[([^\]]+)\]$/m,
    (_, language: string, name: string) => `${name}:\n\n\`\`\`${language}`,
  );

const plainText = (text: string): string =>
  text
    .replace(/^:::.*$/gm, '')
    .replace(/(\]\([^)\s]*\))\{[^}\n]*\}/g, '$1')
    .replaceAll('&#123;', '{')
    .replace(/\n{3,}/g, '\n\n');

const longest = 155;

/**
 * The description of a page in the result of a web search: its first paragraphs, cut at a word. Throws for a page
 * without text.
 */
export function descriptionOf(page: string): string {
  const [title = '', ...blocks] = page
    .replace(/^(```|:::)[\s\S]*?^\1$/gm, '')
    .split(/\n{2,}/)
    .map((block) => block.trim().replace(/\s*\n\s*/g, ' '));
  const text = blocks
    .filter((block) => /^[\w[`*]/.test(block) && !block.startsWith('[Try it]'))
    .map(plain)
    .join(' ')
    .trim();
  if (text === '') throw new Error(`the page "${title}" has no text to describe it`);
  return shortened(`${plain(title.replace(/^# /, ''))}: ${text}`);
}

/** Without links, emphasis, code marks and the escapes of templates. */
const plain = (text: string): string =>
  text
    .replace(/\[([^\]]*)\]\([^)]*\)(\{[^}]*\})?/g, '$1')
    .replace(/[`*]/g, '')
    .replaceAll('&#123;', '{')
    .replaceAll('&lt;', '<');

function shortened(text: string): string {
  if (text.length <= longest) return text;
  const cut = text.slice(0, longest);
  const sentence = cut.lastIndexOf('. ');
  return sentence > longest / 2 ? cut.slice(0, sentence + 1) : `${cut.slice(0, cut.lastIndexOf(' '))} …`;
}
