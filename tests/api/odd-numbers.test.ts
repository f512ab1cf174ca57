import { expect, test } from 'vitest';
import { useApi } from '../support/api.ts';

const api = useApi();

test.each(['05', '+5', '1e1', '.5', '12345678901234567890', '1.2.3'])(
  'limit=%s is called no number at all',
  async (text) => {
    const { status, body } = await api.rest(`GET /v2/products?limit=${encodeURIComponent(text)}`);
    expect(status).toBe(422);
    expect(JSON.stringify(body)).toContain(
      'limit: must be a plain number, without leading zeros, plus sign or exponent, and of at most 16 digits',
    );
  },
);

test.each(['five', '', 'e5'])('limit=%s is called a badly written number', async (text) => {
  const { body } = await api.rest(`GET /v2/products?limit=${text}`);
  expect(JSON.stringify(body)).toContain('limit: must be a number');
});
