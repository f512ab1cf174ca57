import type { AppRouter as Served } from '@comanda/api/router';
import type { carried, events, Grant, includedFields, Permission } from '@comanda/api/services';
import type { inferProcedureOutput } from '@trpc/server';
import type { RouterOf } from './router.ts';

/**
 * Every call of the service with its input and output; `events.watch` is the client's own. In the built package:
 * `scripts/client` writes it out.
 */
export type AppRouter = RouterOf<Served['_def']['_config']['$types'], Calls<Served['_def']['record']>>;

type Calls<Procedures extends { events: { watch: unknown } }> = Omit<Procedures, 'events'> & {
  events: Omit<Procedures['events'], 'watch'>;
};

/** The data of an error besides its message. */
export type ErrorData = AppRouter['_def']['_config']['$types']['errorShape']['data'];

/** The error codes of the service. */
export type ErrorCode = ErrorData['code'];

/** Why, to switch on; more may join. `/docs/errors` of the service explains each. */
export type ErrorReason = ErrorData['reason'];

/** The fields that every error of a reason has, by its name in `ErrorData`. */
export type ErrorDetails = { -readonly [Reason in keyof typeof carried]: (typeof carried)[Reason] };

/** The fields that an answer has only where `include` names this. */
export type Included = {
  -readonly [Name in keyof typeof includedFields]: (typeof includedFields)[Name][number];
};

/** The grants of a key, and each permission in it. */
export type { Grant, Permission };

/** `data` of every event type. */
export type EventData = {
  [Type in keyof typeof events]: (typeof events)[Type]['data']['_zod']['output'];
};

/** An event of the feed; `type` determines the shape of `data`. */
export type PublishedEvent = inferProcedureOutput<
  AppRouter['_def']['record']['events']['list']
>['data'][number];

type Answers = AppRouter['_def']['record'];

/** The shapes that answers have with what `include` asked for. */
export type Order = inferProcedureOutput<Answers['orders']['create']>;
export type OrderAsSold = Omit<
  inferProcedureOutput<Answers['orders']['get']>,
  Included['books' | 'revision']
>;
export type OrderSummary = inferProcedureOutput<Answers['v1']['orders']['list']>['data'][number];
export type Payment = Omit<inferProcedureOutput<Answers['payments']['get']>, Included['books']>;
export type Product = Omit<inferProcedureOutput<Answers['products']['get']>, Included['tax']>;

/** A page of a list that reports changes. */
export interface ChangesPage<Entry> {
  data: Entry[];
  pagination: inferProcedureOutput<Answers['orders']['list']>['pagination'];
}
