import { describe, expect, it } from 'vitest';
import { PaymentMethod, PaymentMethodPage } from '../../packages/api/src/resources/payment-methods/schema.ts';
import { useApi } from '../support/api.ts';
import { auditedBy } from '../support/audited.ts';
import { auditOf, refused } from '../support/money.ts';
import { createOrderKitchen } from '../support/orders.ts';
import { parseStrict } from '../support/strict.ts';

const api = useApi();

const methods = () => api.client().paymentMethods;
const listed = async (id: string) => {
  const { data } = parseStrict(PaymentMethodPage, (await api.rest('GET /v2/payment-methods?limit=200')).body);
  return data.find((method) => method.id === id);
};

describe('paymentMethods.create', () => {
  it('makes one that is enabled unless said, with a line in the audit', async () => {
    const made = parseStrict(PaymentMethod, await methods().create.mutate({ name: 'Pix', type: 'qr' }));
    expect(made).toMatchObject({ name: 'Pix', type: 'qr', enabled: true });
    expect(await listed(made.id)).toEqual(made);
    const { id: _, ...after } = made;
    const audited = auditedBy(api.key, 'paymentMethods.create', null, after);
    expect(await auditOf(api.app.database, made.id)).toEqual([audited]);
    const disabled = await methods().create.mutate({ name: 'Later', type: 'online', enabled: false });
    expect(disabled.enabled).toBe(false);
  });

  it.each([
    ['an unknown type', { name: 'Gold', type: 'gold' }, 'type'],
    ['an empty name', { name: '', type: 'cash' }, 'name'],
    ['no type', { name: 'Cash' }, 'type'],
    ['null for enabled', { name: 'Cash', type: 'cash', enabled: null }, 'enabled'],
  ])('refuses %s', async (_, input, field) => {
    const message = expect.stringContaining(`${field}:`);
    expect(await refused(methods().create.mutate(input as never))).toEqual({
      code: 'validation_error',
      message,
    });
  });
});

describe('paymentMethods.update', () => {
  it('changes the fields that are present and writes down only those that differ', async () => {
    const { id } = await methods().create.mutate({ name: 'Card', type: 'card' });
    const visa = { id, name: 'Visa', type: 'card' as const };
    expect(await methods().update.mutate(visa)).toEqual({ ...visa, enabled: true });
    expect(await listed(id)).toMatchObject({ ...visa, enabled: true });
    const [, updated] = await auditOf(api.app.database, id);
    expect(updated?.changes).toEqual({ before: { name: 'Card' }, after: { name: 'Visa' } });
  });

  it('changes and writes down nothing when nothing is given or nothing differs', async () => {
    const made = await methods().create.mutate({ name: 'Card', type: 'card' });
    const { prisma } = api;
    const where = { locationId_id: { locationId: api.locationId, id: made.id } };
    const { updatedAt } = await prisma.paymentMethod.findUniqueOrThrow({ where });
    expect(await methods().update.mutate({ id: made.id })).toEqual(made);
    expect(await methods().update.mutate(made)).toEqual(made);
    expect((await prisma.paymentMethod.findUniqueOrThrow({ where })).updatedAt).toEqual(updatedAt);
    expect(await auditOf(api.app.database, made.id)).toHaveLength(1);
  });

  it('disabled, it takes no new orders; enabled, it does again', async () => {
    const kitchen = await createOrderKitchen(api);
    const id = kitchen.paymentMethodId;
    await methods().update.mutate({ id, enabled: false });
    const refusal = await kitchen.post();
    expect(refusal.status).toBe(422);
    expect(refusal.text).toContain('payment_method_id');
    await methods().update.mutate({ id, enabled: true });
    expect((await kitchen.post()).status).toBe(201);
  });
});

describe('paymentMethods.delete', () => {
  it('removes one that has no payments, and writes down what it was', async () => {
    const made = await methods().create.mutate({ name: 'Card', type: 'card' });
    expect(await methods().get.query({ id: made.id })).toEqual(made);
    expect(await methods().delete.mutate({ id: made.id })).toEqual({ id: made.id, deleted: true });
    const calls = [methods().get.query({ id: made.id }), methods().delete.mutate({ id: made.id })];
    const gone = (await Promise.all(calls.map(refused))).map(({ code }) => code);
    expect(gone).toEqual(['resource_not_found', 'resource_not_found']);
    const [, deleted] = await auditOf(api.app.database, made.id);
    expect(deleted).toMatchObject({
      operation: 'paymentMethods.delete',
      changes: { before: { name: 'Card', type: 'card', enabled: true }, after: null },
    });
  });

  it('keeps one that has payments, and says what to do', async () => {
    const kitchen = await createOrderKitchen(api);
    expect((await kitchen.post()).status).toBe(201);
    const message = 'this payment method has payments, so it is kept: disable it';
    const refusal = await refused(methods().delete.mutate({ id: kitchen.paymentMethodId }));
    expect(refusal).toEqual({ code: 'conflict', message });
    expect(await methods().get.query({ id: kitchen.paymentMethodId })).toMatchObject({ name: 'Cash' });
  });
});
