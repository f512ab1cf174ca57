import type { ComandaClient, Grant } from '@comanda/client';

/** The types of events that an endpoint can ask for. */
export type ReceivedTypes = Parameters<ComandaClient['webhookEndpoints']['create']['mutate']>[0]['events'];

/** The properties of a new location; everything can be left out. */
export interface LocationOptions {
  /** `Test Kitchen` unless given. */
  name?: string | undefined;
  /** An IANA name; `UTC` unless given. */
  timezone?: string | undefined;
  /** `USD` unless given. */
  currency?: string | undefined;
  /** Whether it is a sandbox, with a test key. */
  sandbox?: boolean | undefined;
  /** Of its key; everything (`*`) unless given. */
  permissions?: Grant[] | undefined;
  /** Requests a minute of its key; 100,000 unless given. */
  perMinute?: number | undefined;
  /** `demo`, unless given, is the menu of the demo restaurant, with stock; `none` leaves the catalog empty. */
  catalog?: 'demo' | 'none' | undefined;
}

/** A product of the seeded menu. */
export interface DemoProduct {
  id: string;
  /** The same at each location: `DR-01`. */
  external_id: string;
  name: string;
  price: number;
  /** How many are there; missing where stock is not counted. */
  stock?: number;
  /** Whether an order must choose something (`selections`). */
  needsSelection: boolean;
}

/** The ways to pay, by their ids; without the seeded menu there is cash alone. */
export interface PaymentMethodIds {
  cash: string;
  card?: string;
  qr?: string;
}

/** A time as PostgreSQL reads it: `8 days`, `90 minutes`. */
export type Age = `${number} ${'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year'}${'' | 's'}`;

/** The service's answer to `newLocation`. */
export interface MadeLocation {
  id: string;
  keyId: string;
  key: string;
  products: DemoProduct[];
  paymentMethods: PaymentMethodIds;
  /** All that there are. */
  eventTypes: ReceivedTypes;
}

/** The requests to the service's process, and its answers. */
export interface Requests {
  newLocation: { input: LocationOptions; output: MadeLocation };
  age: { input: { locationId: string; what: AgedThing; by: string }; output: undefined };
}

/** The rows that can be aged: those of an idempotency key, or a resource by its id. */
export type AgedThing = { idempotencyKey: string } | { id: string };

/** To the service's process; it answers each by its number. */
export type Asked = {
  [Name in keyof Requests]: { number: number; name: Name; input: Requests[Name]['input'] };
}[keyof Requests];

/** From the service's process. */
export type Reply =
  | { ready: { url: string } }
  | { failed: string }
  | { number: number; output: unknown }
  | { number: number; error: string };

/** The options that the service's process is started with, as JSON. */
export interface ServiceOptions {
  cacheDir: string;
}
