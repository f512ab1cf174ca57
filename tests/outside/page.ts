import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import type { Account } from '../../packages/embedded/src/account.ts';

/** A block of commands, or of settings, as a page has it. */
export interface PageBlock {
  /** The heading above it. */
  under: string;
  /** The words after its fence: `sh`, `sh postgres`, `ini`. */
  kind: string;
  code: string;
}

/** Every block of a page of docs/, in its order. */
export function blocksOf(page: string): PageBlock[] {
  const text = readFileSync(join(repositoryRoot, 'docs', page), 'utf8');
  const found = text.matchAll(/^## (?<heading>.+)$|^```(?<kind>\w[\w ]*)\n(?<code>[\s\S]*?)^```$/gm);
  let under = '';
  const blocks: PageBlock[] = [];
  for (const { groups: { heading, kind = '', code = '' } = {} } of found) {
    if (heading === undefined) blocks.push({ under, kind, code });
    else under = heading;
  }
  return blocks;
}

/** Runs commands in a shell that stops at the first that fails; gives what they printed. @throws {Error} with it. */
export async function runBlock(
  { under, code }: PageBlock,
  env: Readonly<Record<string, string>>,
  account: Account | null,
): Promise<string> {
  const child = spawn('bash', ['-eu', '-o', 'pipefail', '-c', code], {
    env,
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe'],
    ...account,
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  const [exit] = await once(child, 'close');
  if (exit !== 0) throw new Error(`${under}: exit code ${exit}\n${said}`);
  return said;
}
