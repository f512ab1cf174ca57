import { exampleIds } from './demo-examples.ts';

const at = (time: string) => `2026-01-31T${time}-03:00`;

/** Examples of certifications: a short one of an integration that places orders alone. */
export const certificationExamples = {
  CertificationStart: { role: 'kiosk', receives_webhooks: false, reads_catalog: false, reads_lists: false },
  Certification: {
    id: exampleIds.certification,
    status: 'passed',
    verdict:
      '3 of 3 checks passed. 9 do not apply: it does not receive webhooks, nor read the catalog, nor read lists, nor take orders, nor bring the catalog.',
    role: 'kiosk',
    does: {
      ...{ receives_webhooks: false, reads_catalog: false, reads_lists: false },
      ...{ places_orders: true, takes_orders: false, brings_catalog: false },
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
            at: at('21:15:52.437'),
            text: 'POST /v2/orders answered 201, a repeat',
            request_id: '01935a42-6c10-7d2a-9b40-0d1e2f3a4b5c',
          },
        ],
        read: '/docs/guides/orders',
      },
    ],
    created_at: at('21:15:40.120'),
    started_at: at('21:15:40.190'),
    completed_at: at('21:16:31.904'),
  },
};
