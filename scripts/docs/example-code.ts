import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes the files of `examples/` into the guides that show them, below `root`. Returns the guides. */
export function writeExampleCode(root: string): string[] {
  const folder = join(root, 'docs/guides');
  const guides = readdirSync(folder).map((name) => join(folder, name));
  return guides.flatMap((guide) => {
    const text = readFileSync(guide, 'utf8');
    const written = withExampleCode(root, text);
    if (written === text) return [];
    writeFileSync(guide, written);
    return [guide];
  });
}

/** A guide whose blocks that name a file after the language (```` ```python examples/… ````) hold that file. */
export function withExampleCode(root: string, guide: string): string {
  return guide.replace(
    /^(```\w+ ((?:examples|extras)\/\S+)\n)[\s\S]*?^```$/gm,
    (_, fence: string, file: string) => {
      return `${fence}${readFileSync(join(root, file), 'utf8').trimEnd()}\n\`\`\``;
    },
  );
}
