import { randomUUID } from 'node:crypto';
import { type Agent, request } from 'node:http';

/** Makes a product without repeating anything; its id, or how it failed. */
export function makeProduct(
  url: string,
  key: string,
  agent?: Agent,
): Promise<{ id?: string; failed?: string }> {
  return new Promise((resolve) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    };
    const asked = request(`${url}/v2/products`, { method: 'POST', headers, agent }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      answer.on('end', () =>
        resolve(
          answer.statusCode === 201
            ? { id: JSON.parse(text).data.id }
            : { failed: `${answer.statusCode} ${text}` },
        ),
      );
    });
    asked.on('error', ({ message }) => resolve({ failed: message }));
    asked.end(JSON.stringify({ name: 'Tea', description: '', price: 1 }));
  });
}
