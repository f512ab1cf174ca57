import type { Served } from './served.ts';

/**
 * The addresses that webhooks come from, as the operator publishes them (WEBHOOK_SOURCE_ADDRESSES): lines for firewalls and people,
 * JSON for programs. Where none are published both say so: an empty list alone could be taken for "from nowhere".
 */
export function webhookAddresses(addresses: readonly string[]): [string, Served][] {
  const published = addresses.length > 0;
  const heading = published
    ? 'Webhooks come from these addresses alone. Verify their signatures nevertheless.'
    : 'The operator has published no fixed addresses: webhooks may come from any. Verify their signatures.';
  const lines = [`# ${heading}`, ...addresses];
  return [
    [
      '/docs/webhook-addresses.txt',
      { type: 'text/plain; charset=utf-8', make: () => `${lines.join('\n')}\n` },
    ],
    [
      '/docs/webhook-addresses.json',
      { type: 'application/json; charset=utf-8', make: () => JSON.stringify({ published, addresses }) },
    ],
  ];
}
