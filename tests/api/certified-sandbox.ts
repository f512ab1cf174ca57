import { expect } from 'vitest';
import { Certification } from '../../packages/api/src/resources/certifications/schema.ts';
import { dataOf } from '../support/answers.ts';
import { type TestApi, useApi } from '../support/api.ts';
import { runWorker } from '../support/run-worker.ts';

const encryptionKey = 'the-key-that-api-and-worker-share-here';

/** An API, and workers on its database that may open its secrets. */
export const useCertifyingApi = () => useApi(() => ({ encryptionKey }));
export const begin = ({ databaseUrl }: TestApi) => runWorker(databaseUrl, encryptionKey);

/** A sandbox, and the certifications of its key; with the demo data where that is asked for. */
export async function openSandbox(api: TestApi, more: { filled?: boolean } = {}) {
  const { locationId, token: key, rest } = await api.place({ location: { sandbox: true } });
  if (more.filled === true) expect((await rest('POST /v2/sandbox/reset')).status).toBe(200);
  const start = async (body: object = {}) =>
    dataOf(await rest('POST /v2/certifications', { body }), 202, Certification);
  const read = async (id: string) => dataOf(await rest(`GET /v2/certifications/${id}`), 200, Certification);
  const abort = async (id: string) =>
    dataOf(await rest(`POST /v2/certifications/${id}/abort`), 200, Certification);
  return { locationId, key, rest, start, read, abort };
}
