import type { OrderRequest, PricedLine, PricedOrder } from './facts.ts';

/**
 * The answer to a creation as JSON text, in the three parts that the number and the time of the order go between. Byte
 * for byte what orders_json makes of the rows, which need not be read back for it: tests/api/order-text.test.ts.
 */
export function answerParts(
  orderId: string,
  paymentId: string,
  request: OrderRequest,
  { total, lines }: PricedOrder,
): [string, string, string] {
  const { external_id, channel, is_take_away, identifier, payment_method_id } = request;
  return [
    `{"id":"${orderId}","number":`,
    `,"status":"pending","total":${total},"created_at":"`,
    `","payment":{"id":"${paymentId}","status":"pending"},"external_id":${JSON.stringify(external_id)}${
      channel === undefined ? '' : `,"channel":${JSON.stringify(channel)}`
    },"is_take_away":${is_take_away},"identifier":${JSON.stringify(identifier)},"payment_method_id":"${
      payment_method_id
    }","items":[${lines.map(lineText).join(',')}]}`,
  ];
}

function lineText({
  product_id,
  name,
  quantity,
  unit_price,
  total,
  comment,
  selections,
}: PricedLine): string {
  const chosen = selections.map(
    ({ item_id, quantity: each }) => `{"item_id":"${item_id}","quantity":${each}}`,
  );
  return `{"product_id":"${product_id}","name":${JSON.stringify(name)},"quantity":${quantity},"unit_price":${
    unit_price
  },"total":${total}${comment === undefined ? '' : `,"comment":${JSON.stringify(comment)}`}${
    chosen.length === 0 ? '' : `,"subselections":[${chosen.join(',')}]`
  }}`;
}
