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
