import { z } from 'zod';
import { exampleIds, exampleTime } from '../../examples.ts';
import { byId, Id, page, paging, Timestamp } from '../../wire.ts';

/** The checks, in the order in which they are played. */
export const checkNames = [
  'endpoint_reached',
  'catalog_pulled',
  'order_repeated',
  'statuses_sent',
  'refused_move_ends',
  'failed_items_read',
  'waits_as_told',
  'every_page',
  'forged_refused',
  'once_each',
  'caught_up',
  'gone_and_cancelled',
] as const;

const CheckNames = z.enum(checkNames).meta({ description: 'The name of the check.' });

/** The name of a check. */
export type CheckName = (typeof checkNames)[number];

/** The roles that an integration is certified in. */
export const certificationRoles = ['erp', 'kiosk', 'listener'] as const;
const Role = z.enum(certificationRoles);

const flag = (description: string) => z.boolean().exactOptional().meta({ description });

/** The features of an integration; checks of absent features are left out, and the verdict names these. */
export const CertificationStart = z
  .object({
    role: Role.exactOptional().meta({
      description:
        '`erp` receives webhooks, takes orders and brings the catalog; `kiosk` receives webhooks, reads the catalog and lists, and places ' +
        'orders; `listener` receives webhooks. Without a role it is as for `kiosk`. A field below overrides what the role sets.',
    }),
    receives_webhooks: flag('It has a webhook endpoint: the newest active one of the location is used.'),
    reads_catalog: flag('It keeps the catalog, and pulls it after `catalog.updated`.'),
    reads_lists: flag('It reads lists, page after page.'),
    places_orders: flag('It places orders.'),
    takes_orders: flag('It takes the orders that others place, and sends their statuses back.'),
    brings_catalog: flag('It brings products or their stock, many at once.'),
  })
  .meta({
    id: 'CertificationStart',
    description: 'The features of an integration, which select its checks.',
    example: { role: 'kiosk', receives_webhooks: false, reads_catalog: false, reads_lists: false },
  });
export type CertificationStart = z.infer<typeof CertificationStart>;

const does = (what: string) => z.boolean().meta({ description: `Whether ${what}.` });

const Does = z
  .object({
    receives_webhooks: does('it has a webhook endpoint'),
    reads_catalog: does('it keeps the catalog, and pulls it after `catalog.updated`'),
    reads_lists: does('it reads lists, page after page'),
    places_orders: does('it places orders'),
    takes_orders: does('it takes the orders that others place, and sends their statuses back'),
    brings_catalog: does('it brings products or their stock, many at once'),
  })
  .meta({ id: 'CertificationDoes', description: 'The features of the integration.' });
type Does = z.infer<typeof Does>;

const nothing: Does = {
  receives_webhooks: false,
  reads_catalog: false,
  reads_lists: false,
  places_orders: false,
  takes_orders: false,
  brings_catalog: false,
};

/** The features of an integration of each role, unless its start says otherwise. */
export const doesOf: Readonly<Record<z.infer<typeof Role>, Does>> = {
  erp: { ...nothing, receives_webhooks: true, takes_orders: true, brings_catalog: true },
  kiosk: {
    ...nothing,
    receives_webhooks: true,
    reads_catalog: true,
    reads_lists: true,
    places_orders: true,
  },
  listener: { ...nothing, receives_webhooks: true },
};

/** The next step of a person, or of a program for them. */
export const CertificationAction = z
  .enum(['none', 'place_order', 'send_statuses', 'sync_items', 'read_products', 'catch_up'])
  .meta({ description: 'The next step. `none`: your program goes on by itself.' });
export type CertificationAction = z.infer<typeof CertificationAction>;

const WaitingFor = z
  .object({
    check: CheckNames,
    action: CertificationAction,
    text: z.string().meta({ description: 'In words.', example: 'Place an order now.' }),
    until: Timestamp,
  })
  .meta({ id: 'CertificationWaiting', description: 'The event that the run waits for.' });

const Seen = z
  .object({
    at: Timestamp,
    text: z.string().meta({ description: 'In words.', example: 'GET /v2/catalog answered 200' }),
    request_id: z
      .string()
      .exactOptional()
      .meta({ description: 'Finds the call in the logs of the service.' }),
  })
  .meta({ id: 'CertificationSeen', description: 'An observed call or answer.' });

/** A check of a run and how it ended. */
export const CertificationCheck = z
  .object({
    check: CheckNames,
    title: z.string().meta({ description: 'A description of the check.' }),
    status: z.enum(['waiting', 'running', 'passed', 'failed', 'not_applicable', 'not_played']).meta({
      description:
        'not_applicable: the integration does not do what it judges. not_played: the run was aborted before the end of the check, or a check ' +
        'that it depends on failed.',
    }),
    reason: z.string().exactOptional().meta({
      description: 'Why it failed, does not apply or was not played.',
    }),
    done: z.array(z.string()).meta({ description: 'The actions of the service.' }),
    seen: z.array(Seen).meta({ description: 'The calls and answers that it saw.' }),
    read: z.string().meta({ description: 'The page to read.', example: '/docs/guides/orders' }),
  })
  .meta({ id: 'CertificationCheck', description: 'A check and how it ended.' });
export type CertificationCheck = z.infer<typeof CertificationCheck>;

/** A certification: what it waits for, what it saw, how it ended. */
export const Certification = z
  .object({
    id: Id,
    status: z.enum(['queued', 'running', 'passed', 'failed', 'aborted']).meta({
      description:
        'aborted: by `POST /v2/certifications/{id}/abort`, with the service, or since it took too long. It is never passed.',
    }),
    verdict: z.string().exactOptional().meta({ description: 'How it ended, in a sentence.' }),
    role: Role.exactOptional().meta({ description: 'The role that the run judges.' }),
    does: Does,
    waiting_for: WaitingFor.exactOptional(),
    checks: z
      .array(CertificationCheck)
      .meta({ description: 'The checks, in the order in which they are played.' }),
    created_at: Timestamp,
    started_at: Timestamp.exactOptional(),
    completed_at: Timestamp.exactOptional(),
  })
  .meta({
    id: 'Certification',
    description: 'A day that the service plays with an integration, judged.',
    example: {
      id: exampleIds.certification,
      status: 'passed',
      verdict:
        '3 of 3 checks passed. 9 do not apply: it does not receive webhooks, nor read the catalog, nor read lists, nor take orders, nor bring the catalog.',
      role: 'kiosk',
      does: {
        receives_webhooks: false,
        reads_catalog: false,
        reads_lists: false,
        places_orders: true,
        takes_orders: false,
        brings_catalog: false,
      },
      checks: [
        {
          check: 'catalog_pulled',
          title: 'The catalog is pulled after catalog.updated',
          status: 'not_applicable',
          reason: 'It does not read the catalog.',
          done: [],
          seen: [],
          read: '/docs/guides/first-sync',
        },
        {
          check: 'order_repeated',
          title: 'An order whose answer was lost is repeated with its key',
          status: 'passed',
          done: ['wrote the order, and cut the connection without an answer'],
          seen: [
            {
              at: exampleTime('21:15:52.437'),
              text: 'POST /v2/orders answered 201, a repeat',
              request_id: '01935a42-6c10-7d2a-9b40-0d1e2f3a4b5c',
            },
          ],
          read: '/docs/guides/orders',
        },
      ],
      created_at: exampleTime('21:15:40.120'),
      started_at: exampleTime('21:15:40.190'),
      completed_at: exampleTime('21:16:31.904'),
    },
  });
export type Certification = z.infer<typeof Certification>;

/** The input of an operation on one. */
export const CertificationById = byId(exampleIds.certification);

export const CertificationList = z.object(paging);
export const CertificationPage = page(Certification);
