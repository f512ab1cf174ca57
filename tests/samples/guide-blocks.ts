import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@comanda/db';

/** A block of code of a guide. */
export interface Block {
  /** `quick-start.md` */
  guide: string;
  /** The words after its fence: `sh`, `sh operator`, `http`, or `text` for a block that is not run. */
  kind: string;
  code: string;
}

/** A request of an `http` block, and what the guide promises of its answer, if it does. */
export interface Exchange {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: unknown;
  promised?: { status: number; headers: Record<string, string>; body?: unknown };
}

/** Their blocks are run in their order, with a receiver, by extras/integrator/tests (guides, certification). */
const elsewhere = ['certify.md', 'comanda-mjs.md', 'files.md', 'languages.md', 'python.md'];

/** Every block of every other guide, in order, except for those of `examples/` and `extras/`, which have tests of their own. */
export function guideBlocks(): Block[] {
  const folder = join(repositoryRoot, 'docs/guides');
  return readdirSync(folder)
    .filter((guide) => !elsewhere.includes(guide))
    .sort()
    .flatMap((guide) =>
      [...readFileSync(join(folder, guide), 'utf8').matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].flatMap(
        ([, kind = '', code = '']) => (/ (examples|extras)\//.test(kind) ? [] : { guide, kind, code }),
      ),
    );
}

/**
 * The exchanges of an `http` block: each a request line, headers, a blank line and JSON; then, if it is there, a status line with
 * what is promised in the same form.
 */
export function exchangesOf(code: string): Exchange[] {
  const messages = code
    .split(/^(?=(?:GET|POST|PATCH|DELETE) |HTTP\/1\.1 )/m)
    .filter((text) => text.trim() !== '');
  const exchanges: Exchange[] = [];
  for (const message of messages) {
    const [head = '', body = ''] = message.trim().split(/\n\n(.*)/s);
    const [first = '', ...lines] = head.split('\n');
    const headers = Object.fromEntries(
      lines.map((line) => /^([\w-]+): (.*)$/.exec(line)?.slice(1) ?? fail(line)) as [string, string][],
    );
    const carried = { headers, ...(body !== '' && { body: JSON.parse(body) as unknown }) };
    const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(first) ?? [];
    const last = exchanges.at(-1);
    if (status === undefined) {
      const [method = '', path = ''] = first.split(' ');
      exchanges.push({ method, path, ...carried });
    } else if (last === undefined) fail(first);
    else last.promised = { status: Number(status), ...carried };
  }
  return exchanges;
}

function fail(line: string): never {
  throw new Error(`this line of an http block cannot be read: ${line}`);
}
