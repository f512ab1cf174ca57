/** Whether a source writes to the terminal by itself. Comments, which show how callers may, do not count. */
export function printsByItself(text: string): boolean {
  const bare = text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  return /\bconsole\.\w+\(|\bprocess\.std(out|err)\b/.test(bare);
}
