import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { documentedOf, isStream } from '../../packages/api/src/documents/site/documented.ts';
import { sampleCall } from '../../packages/api/src/documents/site/samples.ts';
import { exampleIds } from '../../packages/api/src/examples.ts';
import { callRest } from '../support/api.ts';
import { type Demo, forDemo, startDemo } from '../support/demo.ts';
import { type Prism, startPrism } from './prism.ts';
import { servedDocument, versions } from './tool.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const order = ['GET', 'PATCH', 'POST', 'DELETE'];
const payments = ['POST /v2/orders/{id}/payments', 'POST /v2/payments/'];
const placeOf = (name: string): number => payments.findIndex((start) => name.startsWith(start));

describe.each(versions)('through prism, with the %s document,', (version) => {
  let demo: Demo;
  let prism: Prism;
  beforeAll(async () => {
    demo = await startDemo();
    prism = await startPrism(await servedDocument(demo.url, version), demo.url);
  });
  afterAll(async () => {
    await prism?.close();
    await demo?.close();
  });

  test('every operation is asked and answered as the document says', async () => {
    const operations = documentedOf(version, await servedDocument(demo.url, version))
      // A stream does not end, and prism waits for the end; the demo restaurant is live: not reset, and not certified.
      .filter(
        (each) =>
          !isStream(each) &&
          !['/v2/sandbox/reset', '/v2/certifications', '/v2/certifications/{id}/abort'].includes(each.path),
      )
      .map((each) => ({ name: `${each.method} ${each.path}`, call: sampleCall(each) }))
      .sort((one, other) => order.indexOf(one.call.method) - order.indexOf(other.call.method))
      // It is completed before its order is canceled, which would reject it.
      .sort((one, other) => placeOf(other.name) - placeOf(one.name));
    expect(operations.length).toBeGreaterThan(15);
    // The payment of the examples is completed: that of another order is rejected, and followed by another one.
    const pending = await callRest<{ data: { id: string; order_id: string }[] }>(
      demo.url,
      'GET /v2/payments?status=pending',
      { key: demo.key },
    );
    const other = pending.body.data.find(({ id }) => id !== exampleIds.payment);
    for (const { name, call } of operations) {
      const path = name.endsWith('/reject')
        ? call.path.replace(exampleIds.payment, other?.id ?? '')
        : name.endsWith('/payments')
          ? call.path.replace(exampleIds.order, other?.order_id ?? '')
          : call.path;
      const response = await fetch(prism.url + forDemo(path, demo), {
        method: call.method,
        headers: { ...Object.fromEntries(call.headers), authorization: `Bearer ${demo.key}` },
        ...(call.body !== undefined && { body: forDemo(JSON.stringify(call.body), demo) }),
      });
      const text = await response.text();
      expect({ name, ok: response.ok, text, violations: response.headers.get('sl-violations') }).toEqual({
        name,
        ok: true,
        text,
        violations: null,
      });
    }
  });

  test('refusals are answered as the document says', async () => {
    const asked = async (path: string, key: string) => {
      const response = await fetch(prism.url + path, { headers: { authorization: `Bearer ${key}` } });
      const { error } = (await response.json()) as { error?: { code: string } };
      return [response.status, error?.code, response.headers.get('sl-violations')];
    };
    expect(await asked(`/${version}/orders/unknown`, demo.key)).toEqual([404, 'resource_not_found', null]);
    expect(await asked(`/${version}/orders`, 'cmd_live_wrong')).toEqual([401, 'unauthorized', null]);
  });
});

test('prism finds an answer that is not as its document says', async () => {
  const demo = await startDemo();
  const document = await servedDocument(demo.url, 'v1');
  const { Category } = (document.components?.schemas ?? {}) as Record<string, { required?: string[] }>;
  Category?.required?.push('color');
  const prism = await startPrism(document, demo.url);
  const path = '/v1/categories/01935a3c-90b2-7e01-a1d4-6c0e5f2b8d17';
  const response = await fetch(prism.url + path, { headers: { authorization: `Bearer ${demo.key}` } });
  expect(response.status).toBe(500);
  expect(await response.text()).toContain('color');
  await prism.close();
  await demo.close();
});
