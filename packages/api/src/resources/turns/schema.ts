import { z } from 'zod';
import { exampleIds, exampleTime } from '../../examples.ts';
import { list } from '../../lists.ts';
import { byId, Id, Money, page, paging, Timestamp } from '../../wire.ts';
import { PaymentMethodType } from '../payments/schema.ts';

const example = { id: exampleIds.turn, batch_number: '31', started_at: exampleTime('08:00:00.000') };
const totals = { total_orders: 112, total_collected: 3271.5 };

/** A turn; also the payload of the `turn.*` events. A closed one shows the totals it was settled with. */
export const Turn = z
  .object({
    id: Id,
    batch_number: z.string().meta({ description: 'Counts up per location, from "1".', example: '12' }),
    status: z.enum(['open', 'closed']).meta({ description: 'Whether the turn is open.' }),
    started_at: Timestamp,
    ended_at: Timestamp.optional(),
    total_orders: z.int().meta({ description: 'How many orders there are.' }),
    total_collected: z.number().meta({
      description: 'Payments that were completed while it was open, of any orders, less corrections.',
    }),
  })
  .meta({
    id: 'Turn',
    description: 'The time between opening and closing the till.',
    example: { ...example, status: 'closed', ended_at: exampleTime('23:00:00.000'), ...totals },
  });
export type Turn = z.infer<typeof Turn>;

/** The input of an operation on one. */
export const TurnById = byId(exampleIds.turn);

const Amount = z.number().meta({ description: "In the location's currency, 2 decimals." });

/** The amount that a turn collected through one type of payment method. */
export const TurnMethod = z
  .object({
    method: PaymentMethodType,
    count: z.int().meta({ description: 'Payments that were completed, less corrections.' }),
    collected: Amount.meta({ description: 'Their sum; that of all methods is `total_collected`.' }),
    refunded: Amount.meta({ description: 'The refunded amount, below zero.' }),
  })
  .meta({
    id: 'TurnMethod',
    description: 'The amount that a turn collected through one type of payment method.',
  });

/** The open turn, with what `include` asks for. */
export const OpenTurn = Turn.extend({
  status: Turn.shape.status.meta({ description: 'Always `open`.' }),
  methods: z.array(TurnMethod).optional().meta({ description: 'By type, the largest `collected` first.' }),
}).meta({
  id: 'OpenTurn',
  description: 'The open turn, with what `include` asks for.',
  example: {
    ...example,
    status: 'open',
    ...totals,
    methods: [
      { method: 'qr', count: 68, collected: 2151.5, refunded: 0 },
      { method: 'cash', count: 40, collected: 1120, refunded: -2 },
    ],
  },
});
export type OpenTurn = z.infer<typeof OpenTurn>;

/** The parameters of reading the open turn. */
export const OpenTurnGet = z.object({
  include: list(z.enum(['methods']), 20)
    .min(1, 'must name methods')
    .optional()
    .meta({
      description:
        'More than the documented fields: `methods`, what was collected and given back by type of payment method.',
      example: ['methods'],
    }),
});
export type OpenTurnGet = z.infer<typeof OpenTurnGet>;

export const TurnList = z.object(paging);
export const TurnPage = page(Turn);

/** The body that closes the open turn. */
export const TurnClose = z.object({
  open_next: z.boolean().optional().meta({
    description:
      'Opens the next turn in the same moment, so that no order and no payment comes between the two.',
  }),
  counted: Money.optional().meta({
    description: 'All cash that was counted in the drawer. The audit keeps it with the expected amount.',
    example: 1218,
  }),
  starting_cash: Money.optional().meta({
    description: 'With `counted`: the cash that was in the drawer when the turn was opened; 0 unless given.',
    example: 100,
  }),
});
export type TurnClose = z.infer<typeof TurnClose>;

/** The drawer of a turn when it was closed. */
export const Drawer = z
  .object({
    starting_cash: Amount,
    expected: Amount.meta({
      description: 'starting_cash, and the cash that was collected, less cash that was given back.',
    }),
    counted: Amount,
    difference: Amount.meta({ description: 'counted − expected: below zero where cash is missing.' }),
  })
  .meta({ id: 'Drawer', description: 'The cash of a turn when it was closed: expected and counted.' });
export type Drawer = z.infer<typeof Drawer>;

/** The turn that was closed, and the result of closing it. */
export const ClosedTurn = Turn.extend({
  drawer: Drawer.optional().meta({ description: 'Where `counted` was given.' }),
  next: Turn.optional().meta({ description: 'The turn that `open_next` opened.' }),
}).meta({
  id: 'ClosedTurn',
  description: 'The turn that was closed, its drawer, and the turn that was opened with it.',
});
export type ClosedTurn = z.infer<typeof ClosedTurn>;
