import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repositoryRoot } from '../../packages/db/src/root.ts';

/** A span as tests/start/sdk.mjs writes it. */
export interface WrittenSpan {
  name: string;
  traceId: string;
  spanId: string;
  parent?: string;
  attributes: Record<string, unknown>;
  status: { code: number };
}

/** The environment of a process that records traces into a file. */
export const recordingInto = (file: string): Record<string, string> => ({
  NODE_OPTIONS: `--import=${pathToFileURL(join(repositoryRoot, 'tests', 'start', 'sdk.mjs'))}`,
  SPANS: file,
});

/** The spans of a trace that are in the file so far. */
export function spansOf(file: string, traceId: string): WrittenSpan[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as WrittenSpan).filter((span) => span.traceId === traceId);
}
