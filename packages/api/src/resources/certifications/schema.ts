import { z } from 'zod';
import { Id, page, paging, Timestamp } from '../../wire.ts';

/** The checks, in the order in which they are played. */
export const checkNames = [
  'catalog_pulled',
  'order_repeated',
  'waits_as_told',
  'every_page',
  'forged_refused',
  'once_each',
  'caught_up',
  'gone_and_cancelled',
] as const;

/** The name of a check. */
export type CheckName = (typeof checkNames)[number];

const flag = (description: string) => z.boolean().default(true).meta({ description });

/** What an integration does; checks of what it does not do are left out, and the verdict says so. */
export const CertificationStart = z
  .object({
    receives_webhooks: flag('It has a webhook endpoint: the newest active one of the location is used.'),
    reads_catalog: flag('It keeps the catalog, and pulls it after `catalog.updated`.'),
    reads_lists: flag('It reads lists, page after page.'),
    places_orders: flag('It places orders.'),
  })
  .meta({ id: 'CertificationStart' });
export type CertificationStart = z.infer<typeof CertificationStart>;

const Does = z
  .object({
    receives_webhooks: z.boolean(),
    reads_catalog: z.boolean(),
    reads_lists: z.boolean(),
    places_orders: z.boolean(),
  })
  .meta({ id: 'CertificationDoes', description: 'What the integration does.' });

/** What a person, or a program for them, has to do now. */
export const CertificationAction = z
  .enum(['none', 'place_order', 'read_products', 'catch_up'])
  .meta({ description: 'What to do now. `none`: nothing, your program goes on by itself.' });
export type CertificationAction = z.infer<typeof CertificationAction>;

const WaitingFor = z
  .object({
    check: z.enum(checkNames),
    action: CertificationAction,
    text: z.string().meta({ example: 'Place an order now.' }),
    until: Timestamp,
  })
  .meta({ id: 'CertificationWaiting', description: 'What the run waits for.' });

const Seen = z
  .object({
    at: Timestamp,
    text: z.string().meta({ example: 'GET /v2/catalog answered 200' }),
    request_id: z
      .string()
      .exactOptional()
      .meta({ description: 'Finds the call in the logs of the service.' }),
  })
  .meta({ id: 'CertificationSeen', description: 'What was seen.' });

/** A check of a run and how it ended. */
export const CertificationCheck = z
  .object({
    check: z.enum(checkNames),
    title: z.string(),
    status: z.enum(['waiting', 'running', 'passed', 'failed', 'not_applicable']),
    reason: z.string().exactOptional().meta({ description: 'Why it failed, or why it does not apply.' }),
    done: z.array(z.string()).meta({ description: 'What the service did.' }),
    seen: z.array(Seen).meta({ description: 'What it saw.' }),
    read: z.string().meta({ description: 'The page to read.', example: '/docs/guides/orders' }),
  })
  .meta({ id: 'CertificationCheck', description: 'A check and how it ended.' });
export type CertificationCheck = z.infer<typeof CertificationCheck>;

/** A certification: what it waits for, what it saw, how it ended. */
export const Certification = z
  .object({
    id: Id,
    status: z.enum(['queued', 'running', 'passed', 'failed', 'aborted']).meta({
      description: 'aborted: the run ended with the service, or took too long. It is never passed.',
    }),
    verdict: z.string().exactOptional().meta({ description: 'How it ended, in a sentence.' }),
    does: Does,
    waiting_for: WaitingFor.exactOptional(),
    checks: z.array(CertificationCheck),
    created_at: Timestamp,
    started_at: Timestamp.exactOptional(),
    completed_at: Timestamp.exactOptional(),
  })
  .meta({ id: 'Certification', description: 'A day that the service plays with an integration, judged.' });
export type Certification = z.infer<typeof Certification>;

export const CertificationList = z.object(paging);
export const CertificationPage = page(Certification);
