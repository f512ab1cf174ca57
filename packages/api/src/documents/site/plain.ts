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
