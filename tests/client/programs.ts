import { wrongPrograms } from '../support/programs.ts';

/** Programs that must compile, with nothing but the client and what a browser has. */
export const right: Readonly<Record<string, string>> = {
  'the Order in full': `const page = await comanda.orders.list.query({ include: ['details', 'items'] });
    const order: Order | undefined = page.data[0]; return order?.items.length;`,
  'a list without include': `const page = await comanda.orders.list.query({ status: 'ready' });
    return [page.data[0]?.total, page.pagination.total];`,
  'a list without an input': 'return (await comanda.orders.list.query()).data[0]?.payment.status;',
  'names of include that are known later': `const include: ('details' | 'items')[] = ['details'];
    const page = await comanda.orders.list.query({ include }); return page.data[0]?.items?.length;`,
  'an input of the named type': `const input: OrderListInput = { include: ['items'] };
    const page = await comanda.orders.list.query(input); return page.data[0]?.items?.length;`,
  deletions: `const input = { updated_since: '', include: ['deleted', 'tax'] } as const;
    const page = await comanda.products.list.query(input); return [page.deleted.length, page.data[0]?.tax_rate];`,
  'a loop over a list with include': `for await (const order of listAll(comanda.orders.list, { include: ['items'] })) order.items.length;`,
  'a loop with deletions': `const onDeleted = (all: readonly Deletion[]) => console.log(all.length);
    for await (const product of listAll(comanda.products.list, { updated_since: '', include: ['tax', 'deleted'] }, { onDeleted }))
      product.tax_rate;`,
  'loops without include': `for await (const order of listAll(comanda.orders.list)) order.total;
    for await (const turn of listAll(comanda.turns.list, { limit: 3 })) turn.id;`,
  'one type of events': `for await (const event of comanda.events.watch({ types: ['order.created'] })) event.data.items.length;`,
  'several types of events': `const types = ['order.created', 'order.updated'] as const;
    for await (const event of followEvents(comanda, { types })) event.data.total;`,
  'one type of shared events': `for await (const event of watchShared(comanda, '', { types: ['order.created'] })) event.data.items.length;`,
  'all shared events': `for await (const event of watchShared(comanda, ''))
      if (event.type === 'order.created') event.data.items.length;`,
  'all events': `for await (const event of comanda.events.watch())
      if (event.type === 'order.status_changed') { const from: OrderStatus = event.data.previous_status; console.log(from); }`,
  'a page of events': `const page = await comanda.events.list.query({ types: ['payment.completed'] });
    return [page.data[0]?.data.amount, page.pagination.next];`,
  'what an error has by its reason': `const refusal = comandaError(0);
    if (refusal?.reason === 'external_id_taken') return refusal.resourceId.length;
    if (refusal?.reason === 'minute_limit') return refusal.retryAfterSeconds.toFixed();
    if (refusal?.reason === 'changed_since') return refusal.etag.length;
    if (refusal?.reason === 'cursor_not_restored') return Date.parse(refusal.since);
    return refusal?.resourceId ?? refusal?.retryAfterSeconds;`,
  'a reason of a later service': `switch (comandaError(0)?.reason) { case 'not_found': return 1; default: return 2; }`,
  'an error by its reason, as a parameter': `const wait = (refusal: ComandaError<'minute_limit' | 'batch_limit'>) => refusal.retryAfterSeconds * 2;
    return wait;`,
  'stock by each name': `await comanda.stock.sync.mutate({ items: [{ sku: 'a', quantity: 1 }, { external_id: 'b', adjust: -1 }, { product_id: 'c', quantity: 2 }] });`,
  'options of a call': `const signal = AbortSignal.timeout(5);
    await comanda.orders.get.query({ id: '' }, { signal, context: { headers: { 'x-request-id': 'a' } } });
    await comanda.turns.open.mutate();`,
  'a client with everything': `createClient({ url: '', key: '', timeoutMs: 5, retries: 1, waitForLimits: true, strict: true,
      onRequest: async ({ headers, path }) => { headers['x-path'] = path; },
      onResponse: ({ headers, status }) => console.log(headers.get('etag'), status),
      onRetry: ({ error, waitMs }) => console.log(noAnswer(error), waitMs) });`,
};

/** Programs that must not compile. */
export const wrong = wrongPrograms({
  'an unknown resource': `comanda.dishes.list.query({}); // 'dishes' does not exist`,
  'an unknown operation': `comanda.orders.fetch.query({ id: '' }); // 'fetch' does not exist`,
  'an unknown operation of events': `comanda.events.follow(); // 'follow' does not exist`,
  'a mutation as a query': `comanda.orders.create.query(order); // 'query' does not exist`,
  'a query as a mutation': `comanda.orders.get.mutate({ id: '' }); // 'mutate' does not exist`,
  'a call without its input': `comanda.orders.get.query(); // Expected 1-2 arguments`,
  'an order without a key': `comanda.orders.create.mutate(keyless); // 'idempotencyKey' is missing`,
  'a quantity as text': `comanda.orders.create.mutate({ ...order, items: [{ product_id: '', quantity: '2' }] }); // 'string' is not assignable to type 'number'`,
  'a line without a product': `comanda.orders.create.mutate({ ...order, items: [{ quantity: 2 }] }); // 'product_id' is missing`,
  'a misspelled field of a line': `comanda.orders.create.mutate({ ...order, items: [{ product_id: '', quantity: 2, coment: '' }] }); // 'coment' does not exist`,
  'a price as text': `comanda.products.create.mutate({ name: '', description: '', price: '1' }); // 'string' is not assignable to type 'number'`,
  'a misspelled field': `comanda.products.update.mutate({ id: '', prise: 1 }); // Did you mean to write 'price'`,
  'an update without an id': `comanda.products.update.mutate({ price: 1 }); // 'id' is missing`,
  'a misspelled filter': `comanda.products.list.query({ serach: '' }); // Did you mean to write 'search'`,
  'a misspelled filter with include': `comanda.orders.list.query({ stauts: 'ready', include: ['items'] }); // Did you mean to write 'status'`,
  'an unknown status in a filter': `comanda.orders.list.query({ status: 'cooking' }); // '"cooking"' is not assignable`,
  'an unknown order of a list': `comanda.orders.list.query({ sort: 'age' }); // '"age"' is not assignable`,
  'an unknown status': `comanda.orders.updateStatus.mutate({ id: '', status: 'gone' }); // '"gone"' is not assignable`,
  'a move that is never legal': `comanda.orders.updateStatus.mutate({ id: '', status: 'pending' }); // '"pending"' is not assignable`,
  'an unknown permission': `comanda.keys.create.mutate({ name: '', permissions: ['orders:reed'] }); // Did you mean '"orders:read"'`,
  'a permission that a key cannot have': `if ((await comanda.keys.list.query()).data[0]?.permissions[0] === 'orders:reed') return; // no overlap`,
  'a stock item with two names': `comanda.stock.sync.mutate({ items: [{ product_id: '', sku: '', quantity: 1 }] }); // not assignable`,
  'a stock item without a name': `comanda.stock.sync.mutate({ items: [{ quantity: 1 }] }); // not assignable`,
  'a stock item that sets and adjusts': `comanda.stock.sync.mutate({ items: [{ sku: '', quantity: 1, adjust: 1 }] }); // not assignable`,
  'a stock item that changes nothing': `comanda.stock.sync.mutate({ items: [{ sku: '' }] }); // not assignable`,
  'an unknown include': `comanda.orders.list.query({ include: ['detail'] }); // Did you mean '"details"'`,
  'include of an operation that has none': `comanda.turns.list.query({ include: ['items'] }); // 'include' does not exist`,
  'items that were not asked for': `(await comanda.orders.list.query({ include: ['details'] })).data[0]?.items; // 'items' does not exist`,
  'details that were not asked for': `(await comanda.orders.list.query()).data[0]?.channel; // 'channel' does not exist`,
  'books that were not asked for': `(await comanda.orders.get.query({ id: '' })).settlement_id; // 'settlement_id' does not exist`,
  'a rate of tax that was not asked for': `(await comanda.products.get.query({ id: '' })).tax_rate; // 'tax_rate' does not exist`,
  'deletions that were not asked for': `(await comanda.products.list.query({ include: ['tax'] })).deleted; // 'deleted' does not exist`,
  'items in a loop that did not ask for them': `for await (const order of listAll(comanda.orders.list)) order.items; // 'items' does not exist`,
  'an unknown filter of a loop': `for await (const order of listAll(comanda.orders.list, { stauts: 'ready' })) order.id; // Did you mean to write 'status'`,
  'an unknown include of a loop': `for await (const order of listAll(comanda.orders.list, { include: ['dishes'] })) order.id; // '"dishes"' is not assignable`,
  'a loop over what is no list': `for await (const order of listAll(comanda.orders.get)) order; // not assignable`,
  'an unknown field of the answer': `(await comanda.orders.get.query({ id: '' })).color; // 'color' does not exist`,
  'an optional field taken for granted': `(await comanda.orders.get.query({ id: '' })).external_id.length; // possibly 'undefined'`,
  'an unknown event type': `for await (const event of comanda.events.watch({ types: ['order.deleted'] })) event.id; // '"order.deleted"' is not assignable`,
  "another event's data": `for await (const event of comanda.events.watch({ types: ['order.created'] })) event.data.previous_status; // 'previous_status' does not exist`,
  'an unknown type of shared events': `for await (const event of watchShared(comanda, '', { types: ['order.deleted'] })) event.id; // '"order.deleted"' is not assignable`,
  "another shared event's data": `for await (const event of watchShared(comanda, '', { types: ['order.created'] })) event.data.previous_status; // 'previous_status' does not exist`,
  "another event's data in the feed": `for await (const event of followEvents(comanda, { types: ['product.updated'] })) event.data.total; // 'total' does not exist`,
  "another event's data of a page": `(await comanda.events.list.query({ types: ['order.created'] })).data[0]?.data.amount; // 'amount' does not exist`,
  'an unknown previous status': `for await (const { data } of comanda.events.watch({ types: ['order.status_changed'] })) if (data.previous_status === 'cooking') return; // no overlap`,
  'an unknown error code': `if (comandaError(0)?.code === 'not_found') return; // no overlap`,
  'an unknown reason': `if (comandaError(0)?.reason === 'sold_out') return; // no overlap`,
  'a detail that the reason need not have': `const refusal = comandaError(0); if (refusal?.reason === 'not_found') refusal.retryAfterSeconds.toFixed(); // possibly 'undefined'`,
  'an unknown kind of no answer': `if (noAnswer(0) === 'gone') return; // no overlap`,
  'a client without a key': `createClient({ url: '' }); // 'key' is missing`,
  'a misspelled setting': `createClient({ url: '', key: '', timeout: 5 }); // 'timeout' does not exist`,
  'a hook for what is not there': `createClient({ url: '', key: '', onError: () => {} }); // 'onError' does not exist`,
  'a header that is no text': `comanda.orders.get.query({ id: '' }, { context: { headers: { age: 5 } } }); // 'number' is not assignable to type 'string'`,
  'a misspelled option of a call': `comanda.orders.get.query({ id: '' }, { sginal: AbortSignal.timeout(5) }); // Did you mean to write 'signal'`,
});
