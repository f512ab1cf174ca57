import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { surfaceDeclarations } from './declarations.ts';

/**
 * The declarations of the client. `shapes.d.ts` holds events and the shapes of the wire, `index.d.ts` the client; `trpc.d.ts` alone
 * imports tRPC, and `front-node.d.ts` alone takes Node's types.
 */
const files = {
  'shapes.d.ts': ['events'],
  'index.d.ts': [
    'router',
    'operations',
    'hooks',
    'errors',
    'list',
    'replayed',
    'tag',
    'watch',
    'client',
    'feed',
    'index',
  ],
  'front.d.ts': ['front/procedures', 'front/options', 'front/create', 'front'],
  'front-node.d.ts': ['front/node', 'front-node'],
  'shared.d.ts': ['watch-shared', 'shared'],
  'live.d.ts': [
    'live/change',
    'live/kept',
    'live/outbox',
    'live/list',
    'live/live',
    'live/live-list',
    'live',
  ],
  'react.d.ts': ['react/use-live', 'react'],
  'trpc.d.ts': ['as-trpc', 'trpc'],
  'webhooks.d.ts': ['verify-webhook', 'webhooks'],
} as const;

/** The declarations of the client, by file. */
export function flatDeclarations(root: string): Record<keyof typeof files, string> {
  const texts = emitDeclarations(root, 'packages/client/src', Object.values(files).flat());
  const emitted = (name: string) => texts.get(name) ?? '';
  const { shapes, names, router } = surfaceDeclarations();
  const shapeTexts = files['shapes.d.ts'].map((name) => ownText(emitted(name)));
  const events = shapeTexts.flatMap((text) => [...text.matchAll(declared)].map(([, name = '']) => name));
  const known = [...names, ...events];
  const shared = { './shapes.js': known };
  return {
    'shapes.d.ts': `${[shapes, ...shapeTexts, `export type { ${known.join(', ')} };`].join('\n\n')}\n`,
    'index.d.ts': joined(emitted, files['index.d.ts'], shared, [router]),
    'front.d.ts': joined(emitted, files['front.d.ts'], { ...ofTheClient, ...shared }, []),
    'front-node.d.ts': joined(emitted, files['front-node.d.ts'], ofNode, []),
    'shared.d.ts': joined(emitted, files['shared.d.ts'], { ...ofTheClient, ...shared }, []),
    'live.d.ts': joined(emitted, files['live.d.ts'], { ...ofTheClient, ...shared }, []),
    'react.d.ts': joined(emitted, files['react.d.ts'], { ...ofTheClient, ...ofLive, ...shared }, []),
    'trpc.d.ts': joined(emitted, files['trpc.d.ts'], { ...ofTrpc, ...shared }, []),
    'webhooks.d.ts': joined(emitted, files['webhooks.d.ts'], shared, []),
  };
}

/** Several of our files as one, whose last one names the exports in addition to the shapes. */
function joined(
  emitted: (name: string) => string,
  names: readonly string[],
  from: Imports,
  bodies: readonly string[],
): string {
  const shapes = from['./shapes.js'] ?? [];
  const texts = names.map(emitted);
  const exported = (texts.pop() ?? '')
    .replace(/ from '\.\/[\w/-]+\.ts'/g, '')
    // The shapes are all exported together.
    .replace(/^export type \{([^}]*)\};\n/gm, (line, list: string) =>
      list.split(',').every((name) => shapes.includes(name.trim())) ? '' : line,
    )
    .trim();
  const parts = [...bodies, ...texts.map(ownText), "export type * from './shapes.js';", exported];
  const words = new Set(parts.join('\n').match(/\w+/g));
  const used = ([file, names]: readonly [string, readonly string[]]) => {
    const taken = names.filter((name) => words.has(name));
    return taken.length === 0 ? [] : [`import type { ${taken.join(', ')} } from '${file}';`];
  };
  const imports = Object.entries(from).flatMap(used);
  return `${[imports.join('\n'), ...parts].join('\n\n')}\n`;
}

/** The files that declarations may import from, and their imports. */
type Imports = Readonly<Record<string, readonly string[]>>;

const ofTheClient: Imports = {
  './index.js': ['ComandaClient', 'EventOf', 'List', 'WatchInput', 'WatchOptions'],
};

const ofLive: Imports = {
  './live.js': [
    'LiveChange',
    'LiveFilters',
    'LiveList',
    'LiveListOptions',
    'LiveSnapshot',
    'LiveState',
    'Mutation',
  ],
};

const ofNode: Imports = {
  'node:http': ['IncomingMessage', 'ServerResponse'],
  './front.js': ['FrontOptions'],
};

const ofTrpc: Imports = { '@trpc/client': ['TRPCClient'], './index.js': ['ClientRouter', 'ComandaClient'] };

const importLine = /^import [^;]* from '([^']+)';\n/gm;
const declared = /^(?:interface|type) (\w+)/gm;

const ownText = (text: string): string =>
  text
    .replace(importLine, '')
    .replace(/^export (?=\w|\{\};)/gm, '')
    .replace(/^\{\};$/gm, '')
    .trim();

/**
 * The declarations of source files of a folder, one by one. No types are worked out here: every export says its own, and
 * `npm run check` checks them.
 */
export function emitDeclarations(
  root: string,
  folder: string,
  names: readonly string[],
): Map<string, string> {
  const directory = mkdtempSync(join(tmpdir(), 'comanda-client-'));
  try {
    const sources = names.map((name) => join(root, folder, `${name}.ts`));
    const options =
      '--ignoreConfig --declaration --emitDeclarationOnly --isolatedDeclarations --stripInternal --noCheck --noResolve';
    const shape =
      '--module esnext --moduleResolution bundler --allowImportingTsExtensions --target es2023 --strict';
    execFileSync(process.execPath, [
      join(root, 'node_modules/typescript/bin/tsc'),
      ...sources,
      ...`${options} ${shape} --outDir`.split(' '),
      directory,
    ]);
    return new Map(names.map((name) => [name, readFileSync(join(directory, `${name}.d.ts`), 'utf8')]));
  } finally {
    rmSync(directory, { recursive: true });
  }
}
