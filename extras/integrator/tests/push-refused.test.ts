import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { usePublishingApi } from '../../../tests/support/published.ts';
import { useDownload } from './comanda-mjs.ts';
import { encodings } from './csv-files.ts';

const api = usePublishingApi();
const tool = useDownload(api, { batchJobsPerHour: 1_000 });

/** The words behind `node comanda.mjs` in what it says to do next. */
const nextOf = (stderr: string): string[] =>
  (/then push it: node comanda\.mjs (.*)$/m.exec(stderr)?.[1] ?? '')
    .match(/'[^']*'|\S+/g)
    ?.map((word) => word.replaceAll("'", '')) ?? [];

test('refused rows are written as they were, corrected, and pushed by the printed command', async () => {
  await api.make.category({ externalId: 'hot' });
  const text = [
    'Código;Nombre corto;Precio;category_external_ids;notas',
    'R-1;Café;1.250,00;hot;"a;""b"""',
    'R-2;Té;1.250;hot;',
    'R-3;"Más; de\nuna línea";-1;hot;"a;""b"""',
    'R-4;Pan;2,505;;',
    'R-5;Sopa;3;cold;',
    'R-6;Sal',
    'R-7;Luz;4;hot| cold ;',
    '',
  ].join('\r\n');
  tool.save('products.csv', encodings['Windows-1252']?.bytes(text) ?? '');
  const maps = ['--map', 'código=external_id', '--map', 'Nombre corto=name', '--map', 'Precio=price'];
  const first = await tool.run(['push', 'products.csv', '--yes', ...maps]);
  expect(first).toMatchObject({ code: 3, stdout: '2 rows pushed; 5 refused: products.refused.csv\n' });
  expect(tool.load('products.refused.csv')).toBe(
    [
      '\ufeffCódigo;Nombre corto;Precio;category_external_ids;notas;refused_because',
      'R-3;"Más; de\nuna línea";-1;hot;"a;""b""";price: must not be negative',
      'R-4;Pan;2,505;;;price: must have at most 2 decimals',
      'R-5;Sopa;3;cold;;category_external_ids[0]: there is no category cold',
      'R-6;Sal;;;;has 2 fields, and the header 5',
      'R-7;Luz;4;"hot| cold ";;category_external_ids[1]: there is no category cold',
      '',
    ].join('\r\n'),
  );

  // All are corrected except one, with a number that alone could be two.
  tool.save(
    'products.refused.csv',
    tool
      .load('products.refused.csv')
      .replace(';-1;', ';1.125;')
      .replace('2,505', '2,5')
      .replaceAll('cold', 'hot')
      .replace('Sal;', 'Sal;oops'),
  );
  const next = nextOf(first.stderr);
  expect(next.slice(0, 2)).toEqual(['push', 'products.refused.csv']);
  const second = await tool.run([...next, '--yes']);
  expect(second).toMatchObject({
    code: 3,
    stdout: '4 rows pushed; 1 refused: products.refused.refused.csv\n',
  });
  const [head, row] = tool.load('products.refused.refused.csv').split('\r\n');
  expect(head).toBe('\ufeffCódigo;Nombre corto;Precio;category_external_ids;notas;refused_because');
  expect(row).toBe('R-6;Sal;oops;;;"price: ""oops"" is not a number with a decimal comma"');
  const { body } = await api.rest<{ data: { external_id: string; name: string; price: number }[] }>(
    'GET /v2/products?search=R-',
  );
  const prices = body.data.map(({ external_id, price }) => [external_id, price]);
  expect(Object.fromEntries(prices)).toEqual({
    'R-1': 1250,
    'R-2': 1250,
    'R-3': 1125,
    'R-4': 2.5,
    'R-5': 3,
    'R-7': 4,
  });
  expect(body.data.find(({ external_id }) => external_id === 'R-3')?.name).toBe('Más; de\nuna línea');
});

test('every refused row has its reason, also of more than a job names', async () => {
  const rows = Array.from({ length: 250 }, (_, index) => `N-${index},Tea,1,${index % 2 === 0 ? 'none' : ''}`);
  tool.save('products.csv', ['external_id,name,price,category_external_ids', ...rows].join('\n'));
  const { code, stdout } = await tool.run(['push', 'products.csv', '--yes', '--refused', 'many.csv']);
  expect({ code, stdout }).toEqual({ code: 3, stdout: '125 rows pushed; 125 refused: many.csv\n' });
  const lines = tool.load('many.csv').trimEnd().split('\r\n').slice(1);
  expect(lines).toEqual(
    rows
      .filter((_, index) => index % 2 === 0)
      .map((row) => `${row},category_external_ids[0]: there is no category none`),
  );
});

test('rows for which the service refuses a whole batch are taken out, and the others are pushed', async () => {
  // That both names are of one product is known to the service alone, and refuses all that is sent with them.
  tool.save('products.csv', 'external_id,sku,name,price\nT-1,TS-1,Tea,1\nT-2,TS-2,Tea,1\n');
  expect((await tool.run(['push', 'products.csv', '--yes'])).code).toBe(0);
  const rows = Array.from({ length: 30 }, (_, index) => `T-X${index},,5`);
  tool.save('stock.csv', ['external_id,sku,quantity', 'T-1,,5', ',TS-1,6', ',TS-2,7', ...rows].join('\n'));
  const { code, stdout, stderr } = await tool.run(['push', 'stock.csv', '--yes']);
  expect({ code, stdout }).toEqual({ code: 3, stdout: '2 rows pushed; 31 refused: stock.refused.csv\n' });
  expect(stderr).toContain('refused  line 3  sku: names the same product as line 2\n');
});

test('a file that is none of refused rows is not written over', async () => {
  tool.save('foreign.refused.csv', 'mine\n');
  tool.save('foreign.csv', 'external_id,name,price\nF-1,Tea,x\nF-2,Tea,1\n');
  const words = ['push', 'foreign.csv', '--as', 'products', '--yes'];
  const { code, stderr } = await tool.run(words);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining('foreign.refused.csv is there and is no file of refused rows: move it'),
  });
  expect(tool.load('foreign.refused.csv')).toBe('mine\n');
  expect((await api.rest('GET /v2/products/by-external-id/F-2')).status).toBe(404);
  expect((await tool.run([...words, '--refused', 'other.csv'])).code).toBe(3);
  // Its own of an earlier push it replaces.
  expect((await tool.run([...words, '--refused', 'other.csv'])).code).toBe(3);
  tool.save('foreign.csv', 'external_id,name,price\nF-1,Tea,2\n');
  expect((await tool.run([...words, '--refused', 'none.csv'])).code).toBe(0);
  expect(existsSync(join(tool.folder, 'none.csv'))).toBe(false);
});
