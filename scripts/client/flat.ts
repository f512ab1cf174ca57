import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { surfaceDeclarations } from './declarations.ts';

const sources = ['verify-webhook', 'events', 'errors', 'client', 'index'] as const;

/** The declarations of the client as one file that imports nothing but its peers. */
export function flatDeclarations(root: string): string {
  const emitted = emit(root);
  const surface = surfaceDeclarations();
  const imports = [
    "import type { TRPCBuiltRouter, TRPCMutationProcedure, TRPCQueryProcedure, TRPC_ERROR_CODE_NUMBER } from '@trpc/server';",
  ];
  const bodies = [surface.text];
  let exported = '';
  for (const name of sources) {
    const text = emitted(name);
    if (name === 'index') {
      exported = text.replace(/ from '\.\/[\w-]+\.ts'/g, '');
      continue;
    }
    for (const [line, from = ''] of text.matchAll(importLine))
      if (!from.startsWith('.')) imports.push(line.trim());
    bodies.push(
      text
        .replace(importLine, '')
        .replace(/^export (?=\w)/gm, '')
        .trim(),
    );
  }
  const shapes = `export type { ${surface.names.join(', ')} };`;
  return `${[imports.join('\n'), ...bodies, exported.trim(), shapes].join('\n\n')}\n`;
}

const importLine = /^import [^;]* from '([^']+)';\n/gm;

// No types are worked out here: every export of the client says its own, and `npm run check` checks them.
function emit(root: string): (name: string) => string {
  const directory = mkdtempSync(join(tmpdir(), 'comanda-client-'));
  try {
    const files = sources.map((name) => join(root, 'packages/client/src', `${name}.ts`));
    const options =
      '--ignoreConfig --declaration --emitDeclarationOnly --isolatedDeclarations --noCheck --noResolve';
    const shape =
      '--module esnext --moduleResolution bundler --allowImportingTsExtensions --target es2023 --strict';
    execFileSync(process.execPath, [
      join(root, 'node_modules/typescript/bin/tsc'),
      ...files,
      ...`${options} ${shape} --outDir`.split(' '),
      directory,
    ]);
    const texts = new Map(
      sources.map((name) => [name, readFileSync(join(directory, `${name}.d.ts`), 'utf8')]),
    );
    return (name) => texts.get(name as (typeof sources)[number]) ?? '';
  } finally {
    rmSync(directory, { recursive: true });
  }
}
