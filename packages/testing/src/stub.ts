import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Grant } from '@comanda/client';

/** The result of an answer function. */
export type Outcome =
  | { value: unknown; etag?: string | undefined; replayed?: boolean | undefined }
  | { refused: RefusalData }
  | { failed: unknown; done?: { value: unknown } | undefined };

/** A refusal, whole. */
export interface RefusalData {
  reason: string;
  code: string;
  httpStatus: number;
  message: string;
  fields: readonly { path: string; message: string }[];
  resourceId?: string | undefined;
  retryAfterSeconds?: number | undefined;
  etag?: string | undefined;
  since?: string | undefined;
}

/** The events of a fake. */
export interface FakeEvents {
  readonly published: readonly { id: string; type: string; created_at: string }[];
  onPublished(listener: () => void): () => void;
}

/** Makes the service without a database: it checks calls, and asks for the answers. */
export type CreateStub = (options: {
  permissions: readonly Grant[];
  answer(procedure: string, input: unknown): Promise<Outcome | undefined>;
  events: FakeEvents;
}) => { fetch(request: StubRequest): Promise<Response> };

/** A request of the client. */
export interface StubRequest {
  url: string;
  method: string;
  headers: Headers;
  body: string;
  signal: AbortSignal;
}

let loading: Promise<{ createStub: CreateStub }> | undefined;

/** Loads it, which takes some tenths of a second: a test that only starts a service does without. */
export async function loadStub(): Promise<CreateStub> {
  loading ??= import(/* @vite-ignore */ stubFile()) as Promise<{ createStub: CreateStub }>;
  return (await loading).createStub;
}

/** Built: next to this file. In the workspace: in dist/, which `npm test` builds. */
function stubFile(): string {
  const urls = ['./service/stub.js', '../../../dist/testing-stub.js'].map(
    (place) => new URL(place, import.meta.url).href,
  );
  const found = urls.find((url) => existsSync(fileURLToPath(url)));
  if (found === undefined) throw new Error(`@comanda/testing is not whole: ${urls[0]} is missing`);
  return found;
}
