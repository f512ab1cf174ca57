import { z } from 'zod';
import { list } from '../../lists.ts';
import { Id, Quantity, text } from '../../wire.ts';
import { carriedCreate } from './carried.schema.ts';
import { ItemCreate, SelectionCreate } from './schema.ts';

const LineId = z
  .int()
  .min(1, 'must be at least 1')
  .max(32_767, 'must be at most 32767')
  .meta({ description: 'The number of the line, as `include=details` shows it.', example: 1 });

const LineChange = z
  .object({
    line_id: LineId,
    quantity: Quantity.gt(0, 'must be more than 0').optional(),
    comment: text(0, 1_000)
      .nullable()
      .optional()
      .meta({ description: 'A remark on the line; null takes it away.' }),
    subselections: list(SelectionCreate, 200, 'must hold at most 200 choices')
      .optional()
      .meta({ description: 'The choices of the line from now on: what was chosen before keeps its price.' }),
  })
  .meta({ id: 'OrderLineChange', description: 'A change of a line: only the fields that are present.' });

const lines = <Line extends z.ZodType>(line: Line) =>
  list(line, 200, 'must hold at most 200 lines').optional();

/** Edits of the lines of an order. */
export const OrderLinesEdit = z
  .object({
    add: lines(ItemCreate).meta({ description: 'New lines, at the prices of now.' }),
    change: lines(LineChange).meta({ description: 'Lines that stay at their price.' }),
    remove: lines(LineId).meta({ description: 'Lines that go, with their discounts.' }),
  })
  .superRefine(({ change = [], remove = [] }, context) => {
    const seen = new Set<number>();
    const named = [
      ...change.map(({ line_id }, index) => ({ line_id, path: ['change', index, 'line_id'] })),
      ...remove.map((line_id, index) => ({ line_id, path: ['remove', index] })),
    ];
    for (const { line_id, path } of named) {
      if (seen.has(line_id)) context.addIssue({ code: 'custom', path, message: 'must not be named twice' });
      seen.add(line_id);
    }
  })
  .meta({ id: 'OrderLinesEdit', description: 'Edits of the lines of an order.' });
export type OrderLinesEdit = z.infer<typeof OrderLinesEdit>;

const { customer, delivery, note, promised_at, guests } = carriedCreate;

/** The body that edits a pending order: only the fields that are present. Contract: 13.14. */
export const OrderEdit = z
  .object({
    id: Id,
    customer: customer.nullable().meta({ description: 'Whom the order is for.' }),
    delivery: delivery.nullable().meta({ description: 'Where the order goes.' }),
    note: note.nullable(),
    promised_at: promised_at.nullable(),
    guests: guests.nullable(),
    items: OrderLinesEdit.optional().meta({ description: 'Edits of its lines; these need `If-Match`.' }),
  })
  .meta({
    id: 'OrderEdit',
    description:
      'The body that edits a pending order: only the fields that are present; null takes one away.',
    example: { note: 'No onions', guests: 3 },
  });
export type OrderEdit = z.infer<typeof OrderEdit>;
