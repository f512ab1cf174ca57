import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished, test } from 'vitest';
import { useApi } from '../../../tests/support/api.ts';
import { useDownload } from './comanda-mjs.ts';

const api = useApi();
const tool = useDownload(api);

const lines = (...messages: unknown[]) => `${messages.map((each) => JSON.stringify(each)).join('\n')}\n`;
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

test.each(['legacy', 'auto'] as const)(
  'a client that starts it calls tools: negotiation %s',
  async (mode) => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    onTestFinished(() => client.close());
    const { PATH = '' } = process.env;
    const env = { PATH, COMANDA_URL: api.url, COMANDA_KEY: tool.key };
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: ['comanda.mjs', 'mcp'],
        cwd: tool.folder,
        env,
      }),
    );
    expect(client.getNegotiatedProtocolVersion()).toBe(mode === 'auto' ? '2026-07-28' : '2025-11-25');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('products_list');
    const name = '\u2028 "Latté" \u001b[31m';
    const id = await api.make.product({ name: 'Latté' });
    const made = await client.callTool({
      name: 'products_update',
      arguments: { id, description: name },
    });
    expect(made.structuredContent).toMatchObject({ data: { description: name } });
    const uri = 'comanda://guides/orders';
    const { contents } = await client.readResource({ uri });
    expect(contents).toMatchObject([{ uri, text: expect.stringMatching(/^# /) }]);
    // Names that a header cannot carry as they are.
    for (const odd of ['', ' ', 'Ñandú ☕', '=?base64?eA==?='])
      await expect(client.callTool({ name: odd, arguments: {} })).rejects.toThrow('There is no such tool.');
  },
);

test('messages are answered by their ids until the input ends, and what is no message is reported', async () => {
  const { code, stdout } = await tool.run(['mcp'], {
    input: `${lines(ping, { ...ping, id: 'two' }, { jsonrpc: '2.0', method: 'notifications/initialized' })}no JSON\n`,
  });
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(code).toBe(0);
  expect(answers).toEqual(
    expect.arrayContaining([
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: 'two', result: {} },
    ]),
  );
});

test.each([
  ['a key that is none', { COMANDA_KEY: 'cmd_live_nobody' }, /credential|key/i],
  ['a service that is away', { COMANDA_URL: 'http://127.0.0.1:9' }, /127\.0\.0\.1:9: connection refused/],
])('is answered with an error, and nothing is sent twice: %s', async (_, env, message) => {
  const { code, stdout } = await tool.run(['mcp'], { env, input: lines(ping) });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    jsonrpc: '2.0',
    id: 1,
    error: { code: -32_000, message: expect.stringMatching(message) },
  });
});

test('without a key it does not begin', async () => {
  const { code, stderr } = await tool.run(['mcp'], { env: { COMANDA_KEY: '' } });
  expect([code, stderr]).toEqual([2, expect.stringContaining('COMANDA_KEY')]);
});
