import { beforeAll, describe, expect, it } from 'vitest';
import { PaymentMethodPage } from '../../packages/api/src/resources/payment-methods/schema.ts';
import { refusalOf } from '../support/answers.ts';
import { useApi } from '../support/api.ts';
import { parseStrict } from '../support/strict.ts';

const api = useApi();
beforeAll(async () => {
  const { locationId } = api;
  for (const name of ['Cash', 'QR', 'Card'])
    await api.make.paymentMethod({ locationId, name, type: 'qr', enabled: name !== 'QR' });
  await api.make.paymentMethod({ locationId: await api.make.location(), name: 'Of another location' });
});

const list = async (query = '') => {
  const answer = await api.rest(`GET /v2/payment-methods${query}`);
  expect(answer.status, answer.text).toBe(200);
  return parseStrict(PaymentMethodPage, answer.body);
};

describe('GET /v2/payment-methods', () => {
  it('lists those of the location by name, disabled ones included', async () => {
    const { data, pagination } = await list();
    expect(data.map(({ name, type, enabled }) => [name, type, enabled])).toEqual([
      ['Card', 'qr', true],
      ['Cash', 'qr', true],
      ['QR', 'qr', false],
    ]);
    expect(pagination).toEqual({ limit: 50, offset: 0, total: 3 });
  });

  it('pages with an exact total', async () => {
    const { data, pagination } = await list('?limit=1&offset=1');
    expect(data.map(({ name }) => name)).toEqual(['Cash']);
    expect(pagination).toEqual({ limit: 1, offset: 1, total: 3 });
    expect((await list('?offset=7')).data).toEqual([]);
  });

  it('answers 422 for a limit out of range', async () => {
    const answer = await api.rest('GET /v2/payment-methods?limit=0');
    expect(refusalOf(answer, 422, 'validation_error')).toBe('limit: must be 1 to 200');
  });
});
