import { beforeAll, beforeEach, expect, test } from 'vitest';
import { statement } from '../../packages/db/src/index.ts';
import { createEmptyDatabase, useDatabase } from '../support/database.ts';
import { use } from '../support/use.ts';
import { stall } from '../support/wait.ts';

const database = useDatabase(use(createEmptyDatabase, (own) => own.drop()));
beforeAll(() => database.pool.query('create table named (name text primary key)'));
beforeEach(() => database.pool.query('truncate named'));

const insert = statement<never>('insert_name', 'insert into named (name) values ($1)');
const count = statement<{ count: number }>('count_names', 'select count(*)::int as count from named');
const names = async () => (await database.run(count, []))[0]?.count;

test('what a transaction sends is committed with it', async () => {
  const seen = await database.transaction(undefined, async (tx) => {
    tx.send(insert, ['one']);
    const [found] = await tx.run(count, []);
    tx.send(insert, ['two']);
    return found?.count;
  });
  expect(seen).toBe(1);
  expect(await names()).toBe(2);
});

test('what is sent last and fails takes all back, though COMMIT is on its way', async () => {
  const failing = database.transaction(undefined, async (tx) => {
    await tx.run(insert, ['one']);
    tx.send(insert, ['one']);
  });
  await expect(failing).rejects.toMatchObject({ code: '23505' });
  expect(await names()).toBe(0);
});

test('the statement that failed is reported, not its effect on the statements after it', async () => {
  const failing = database.transaction(undefined, async (tx) => {
    tx.send(insert, [null]);
    await tx.run(insert, ['one']);
  });
  await expect(failing).rejects.toMatchObject({ code: '23502' });
  expect(await names()).toBe(0);
});

test('the statement that failed is reported, though one sent after it was heard of first', async () => {
  const failing = database.transaction(undefined, async (tx) => {
    const deep = async () => {
      await (async () => tx.run(insert, [null]))();
    };
    const all = Promise.all([deep(), tx.run(count, [])]);
    // As a busy process: both answers are read at once.
    stall(200);
    await all;
  });
  await expect(failing).rejects.toMatchObject({ code: '23502' });
});

test('an error of the work is reported, though it follows the failure of a statement', async () => {
  const failing = database.transaction(undefined, async (tx) => {
    await tx.run(insert, [null]).catch(() => {
      throw new Error('a name is required');
    });
  });
  await expect(failing).rejects.toThrow('a name is required');
});

test('what comes with BEGIN is part of the transaction', async () => {
  const failing = database.transaction({ statement: insert, values: ['one'] }, async (tx) => {
    tx.send(insert, ['two']);
    throw new Error('refused');
  });
  await expect(failing).rejects.toThrow('refused');
  expect(await names()).toBe(0);
});
