import { expect, it } from 'vitest';
import { guideBlocks } from '../samples/guide-blocks.ts';

it('every block of the guides is run by tests/samples, except these, which are marked `text`', () => {
  const runs = ['sh', 'sh operator', 'http'];
  const blocks = guideBlocks();
  const others = blocks.filter(({ kind }) => !runs.includes(kind));
  expect(others.map(({ guide, kind, code }) => [guide, kind, code.split('\n')[0]])).toEqual([
    ['erp.md', 'text', 'export COMANDA_URL=https://comanda.example.com COMANDA_KEY=…'],
    [
      'feed.md',
      'text',
      'curl -sN "$COMANDA_URL/v2/events/stream?types=order.created" -H "Authorization: Bearer $COMANDA_KEY"',
    ],
    ['mcp.md', 'text', "const client = new Client({ name: 'assistant', version: '1.0.0' });"],
    [
      'mcp.md',
      'text',
      'claude mcp add --transport http comanda "$COMANDA_URL/mcp" --header "Authorization: Bearer $COMANDA_KEY"',
    ],
    ['mcp.md', 'text', '{'],
    ['mcp.md', 'text', '{'],
    [
      'mcp.md',
      'text',
      'npx @modelcontextprotocol/inspector --cli "$COMANDA_URL/mcp" --transport http --header "Authorization: Bearer $COMANDA_KEY" --method tools/list',
    ],
    ['orders.md', 'text', 'pending ──▶ ready ──▶ closed'],
    ['quick-start.md', 'text', 'export COMANDA_URL=http://127.0.0.1:3000'],
    ['sandbox.md', 'text', 'POST /v2/orders'],
    [
      'server-in-front.md',
      'text',
      "const comanda = createClient({ url: location.origin + '/comanda', key: 'kept-by-the-server' });",
    ],
    [
      'testing.md',
      'text',
      'npm install --save-dev ./comanda-client-0.2.0.tgz ./comanda-testing-0.2.0.tgz @trpc/client @trpc/server',
    ],
  ]);
  expect(new Set(blocks.map(({ kind }) => kind))).toEqual(new Set([...runs, 'text']));
});
