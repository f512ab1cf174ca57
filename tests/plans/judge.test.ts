import { describe, expect, test } from 'vitest';
import { judge, type PlanNode } from './judge.ts';

const indexes = new Map([
  ['products_location_id_sku_key', ['location_id', 'sku']],
  ['products_location_id_name_id_idx', ['location_id', 'name', 'id']],
]);

describe('what is touched', () => {
  test('is what a scan reads and what its filter removes, as often as a loop does so', () => {
    // The lock on the products of a job, by an index that knows the location only.
    const scan = indexScan({ rows: 1, loops: 500, removed: 1_499 });
    const lock = node('Nested Loop', { rows: 500 }, [
      node('Function Scan', { rows: 500, 'Function Call': 'unnest($2)' }),
      node('LockRows', { rows: 1, loops: 500 }, [scan]),
    ]);
    const verdict = judge(lock, { indexes });
    expect(verdict).toMatchObject({ touched: 750_000, useful: 500 });
    expect(verdict.worst.node).toBe(scan);
  });

  test('counts fractions of rows, which are rows of several loops', () => {
    const plan = node('Nested Loop', { rows: 1 }, [
      indexScan({ rows: 4 }),
      indexScan({ rows: 0.25, loops: 4, removed: 1 }),
    ]);
    expect(judge(plan, { indexes }).touched).toBe(9);
  });

  test('is nothing for rows in memory, except those that are compared there without a match', () => {
    // Old and new rows of a statement, joined by a loop within a loop.
    const plan = node('Nested Loop', { rows: 500, 'Rows Removed by Join Filter': 249_500 }, [
      node('Named Tuplestore Scan', { rows: 500 }),
      node('Materialize', { rows: 500, loops: 500 }, [node('Named Tuplestore Scan', { rows: 500 })]),
    ]);
    expect(judge(plan, { indexes })).toMatchObject({ touched: 249_500, useful: 500 });
  });

  test('is each bitmap that is combined with another, and the rows of the table', () => {
    const both = node('BitmapAnd', { rows: 0 }, [
      node('Bitmap Index Scan', { rows: 900 }),
      node('Bitmap Index Scan', { rows: 40 }),
    ]);
    expect(judge(node('Bitmap Heap Scan', { rows: 3 }, [both]), { indexes }).touched).toBe(943);
  });

  test('is nothing where all of a table of one page is read, once', () => {
    // A planner that has seen six rows reads them, and a seventh location must not make that a fault.
    const scan = (loops: number) =>
      node('Seq Scan', { rows: 1, loops, 'Relation Name': 'catalog_versions', 'Rows Removed by Filter': 6 });
    const touched = (loops: number, rows: number) =>
      judge(scan(loops), { indexes, small: new Map([['catalog_versions', rows]]) }).touched;
    expect([touched(1, 7), touched(1, 21), touched(2, 7)]).toEqual([0, 7, 14]);
  });

  test('is nothing where a scan was never run', () => {
    expect(judge(node('Append', { rows: 1 }, [indexScan({ rows: 0, loops: 0 })]), { indexes }).touched).toBe(
      0,
    );
  });
});

describe('useful are', () => {
  test('the entries of a page that is one text', () => {
    const plan = node('Result', { rows: 1 }, [
      node('Aggregate', { rows: 1, Output: ["string_agg(page.doc, ','::text)"] }, [indexScan({ rows: 50 })]),
    ]);
    expect(judge(plan, { indexes })).toMatchObject({ touched: 50, useful: 51 });
  });

  test('the answers of sub-selects, each from a place of its own', () => {
    const within = (relationship: string, name: string) => ({
      ...indexScan({ rows: 1 }),
      'Parent Relationship': relationship,
      'Subplan Name': name,
    });
    const plan = node('Result', { rows: 1 }, [
      within('InitPlan', 'InitPlan 1'),
      within('SubPlan', 'SubPlan 2'),
      within('InitPlan', 'CTE page'),
    ]);
    expect(judge(plan, { indexes })).toMatchObject({ touched: 3, useful: 3 });
  });

  test('rows that are written, although none is answered', () => {
    const plan = node('ModifyTable', { rows: 0 }, [indexScan({ rows: 30 })]);
    expect(judge(plan, { indexes })).toMatchObject({ touched: 30, useful: 30 });
  });

  test('rows that are locked and then only counted', () => {
    const lock = node('LockRows', { rows: 20 }, [indexScan({ rows: 20 })]);
    const plan = node('Aggregate', { rows: 1, Output: ['count(*)'] }, [lock]);
    expect(judge(plan, { indexes })).toMatchObject({ touched: 20, useful: 20 });
  });

  test('rows that a trigger asks for, although none is found, once however often they are read', () => {
    const plan = node('Nested Loop', { rows: 0 }, [
      node('Named Tuplestore Scan', { rows: 40, loops: 3 }),
      indexScan({ rows: 1, loops: 40 }),
    ]);
    expect(judge(plan, { indexes })).toMatchObject({ touched: 40, useful: 40 });
  });

  test('not the rows that are only counted: these are left out where a statement may count', () => {
    const count = node('Aggregate', { rows: 1, Output: ['count(*)'] }, [
      indexScan({ rows: 400, removed: 6 }),
    ]);
    expect(judge(count, { indexes })).toMatchObject({ touched: 406, useful: 1 });
    expect(judge(count, { indexes, mayCount: true })).toMatchObject({ touched: 6, useful: 1 });
  });
});

describe('an index that skips more than it says', () => {
  const scan = (name: string, condition: string, loops = 1) =>
    judge(
      { ...node('Index Scan', { rows: 1, loops }), 'Index Name': name, 'Index Cond': condition },
      { indexes },
    ).unseen?.columns;

  test.each([
    ['an id behind a name that is not given', '((p.location_id = $1) AND (p.id = ANY ($2)))', ['id']],
    ['an id behind a range of names', "((location_id = $1) AND (name > 'a'::text) AND (id = $2))", ['id']],
    ['all of it, when the location is not given', '(p.name = $1)', ['name']],
  ])('is seen for %s', (_, condition, columns) => {
    expect(scan('products_location_id_name_id_idx', condition)).toEqual(columns);
  });

  test.each([
    ['every column', '((location_id = $1) AND (name = $2) AND (id = $3))'],
    ['the first', '(location_id = (InitPlan 1).col1)'],
    ['a range at the end', "((location_id = $1) AND (name >= 'a'::text) AND (name < 'b'::text))"],
    ['a row', '((location_id = $1) AND (ROW(name, id) > ROW($2, $3)))'],
    ['two with AND in a text', "((location_id = $1) AND (name = 'a AND (id = 1)'::text))"],
  ])('is none when the condition holds %s', (_, condition) => {
    expect(scan('products_location_id_name_id_idx', condition)).toBeUndefined();
  });

  test('is none where it was never run, and unknown where the index is', () => {
    expect(scan('products_location_id_name_id_idx', '(id = $1)', 0)).toBeUndefined();
    expect(scan('made_meanwhile', '(id = $1)')).toBeUndefined();
  });
});

interface Facts extends Partial<PlanNode> {
  rows: number;
  loops?: number;
}

function node(type: string, { rows, loops = 1, ...facts }: Facts, plans: PlanNode[] = []): PlanNode {
  return { 'Node Type': type, 'Actual Rows': rows, 'Actual Loops': loops, ...facts, Plans: plans };
}

function indexScan({ removed = 0, ...facts }: Facts & { removed?: number }): PlanNode {
  return node('Index Scan', {
    'Relation Name': 'products',
    'Index Name': 'products_location_id_sku_key',
    'Index Cond': '(location_id = $1)',
    'Rows Removed by Filter': removed,
    ...facts,
  });
}
