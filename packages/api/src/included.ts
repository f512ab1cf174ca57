import { included } from './resources/orders/schema.ts';
import { Payment, PaymentWithBooks } from './resources/payments/schema.ts';
import { shownOnRequest } from './resources/products/fields.schema.ts';

/**
 * The fields that an answer has only where `include` names this, of every operation; those of lines of orders are not
 * distinguished.
 */
export const includedFields = {
  ...included,
  books: [...included.books, ...addedByBooks()],
  tax: Object.keys(shownOnRequest) as (keyof typeof shownOnRequest)[],
  deleted: ['deleted'],
} as const;

type Added = Exclude<keyof (typeof PaymentWithBooks)['shape'], keyof (typeof Payment)['shape']>;

function addedByBooks(): Added[] {
  return (Object.keys(PaymentWithBooks.shape) as (keyof (typeof PaymentWithBooks)['shape'])[]).filter(
    (name): name is Added => !(name in Payment.shape),
  );
}
