import type { AdjustmentCreate } from '../orders/carried.schema.ts';
import type { OrderEdit } from '../orders/edit.schema.ts';

/** What an order of the demo carries beside its lines. */
type Carried = Omit<OrderEdit, 'id' | 'items'> & { adjustments?: AdjustmentCreate[] };

const customers = [
  { name: 'Ana Silva', phone: '+598 99 000 001' },
  { name: 'Bruno Pereira', phone: '+598 99 000 002' },
  { name: 'Carla Méndez', phone: '+598 99 000 003' },
] as const;

/** What an order carries, by its channel; `place` is its number in the demo. */
export function carriedBy(channel: string, place: number, createdAt: Date): Carried {
  const promisedIn = (minutes: number) => new Date(createdAt.getTime() + minutes * 60_000).toISOString();
  const customer = customers[place % customers.length];
  switch (channel) {
    case 'delivery':
      return {
        customer,
        promised_at: promisedIn(45),
        delivery: { lines: [`Av. Italia ${2000 + place}`], city: 'Montevideo', note: 'Ring twice' },
        adjustments: [{ kind: 'delivery_fee', name: 'Delivery', amount: 90 }],
      };
    case 'web':
      return {
        customer,
        promised_at: promisedIn(20),
        adjustments: [{ kind: 'discount', name: 'Ordered online', percent: 10 }],
      };
    case 'table':
      return {
        guests: 1 + (place % 5),
        ...(place % 2 === 0 && { adjustments: [{ kind: 'tip', name: 'Tip', amount: 50 }] }),
      };
    default:
      return place % 3 === 0 ? { note: 'No onions' } : {};
  }
}
