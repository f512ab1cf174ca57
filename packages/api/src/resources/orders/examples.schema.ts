import { createdIds, demoNames, exampleIds, exampleTime, exampleMenu as menu } from '../../examples.ts';

const payment = { id: exampleIds.payment, status: 'pending' };

/** An order as lists show it. */
export const exampleSummary = {
  id: exampleIds.order,
  number: 45,
  status: 'pending',
  total: 410,
  created_at: exampleTime('21:05:09.120'),
  payment,
};

/** The body that creates an order. */
export const exampleCreation = {
  external_id: 'POS-7731',
  channel: 'kiosk',
  is_take_away: true,
  identifier: 'Table 4',
  items: [
    {
      product_id: exampleIds.product,
      quantity: 2,
      comment: 'Extra hot',
      subselections: [{ item_id: exampleIds.item, quantity: 1 }],
    },
  ],
  payment_method_id: exampleIds.paymentMethod,
};

/** What that order has of its own: its lines are those of the order above. */
export const exampleCreated = {
  id: createdIds.order,
  number: 47,
  external_id: exampleCreation.external_id,
  payment: { ...payment, id: createdIds.payment },
};

/** What an order has once it is canceled. */
export const exampleCanceled = {
  status: 'canceled',
  cancel_reason: 'The guest left.',
  payment: { ...payment, status: 'rejected' },
};

/** The lines of the order. */
export const exampleLines = exampleCreation.items.map((item) => ({
  ...item,
  name: menu.flatWhite.name,
  unit_price: menu.flatWhite.price + menu.oat.price,
  total: 410,
}));

/** The order in full. */
export const exampleOrder = {
  ...exampleSummary,
  external_id: demoNames.order,
  channel: exampleCreation.channel,
  is_take_away: true,
  identifier: exampleCreation.identifier,
  payment_method_id: exampleIds.paymentMethod,
  items: exampleLines,
};

/** The same, with what was sold as it was then. */
export const exampleSold = {
  ...exampleOrder,
  items: exampleLines.map((line) => ({
    ...line,
    external_id: menu.flatWhite.external_id,
    sku: menu.flatWhite.sku,
    tax_rate: 22,
    subselections: line.subselections.map((chosen) => ({
      ...chosen,
      name: menu.oat.name,
      unit_price: menu.oat.price,
      external_id: menu.oat.external_id,
    })),
  })),
};

/** The same, with the fields that reads add. */
export const exampleRead = { ...exampleSold, turn_id: exampleIds.turn, revision: 1769850000123 };
