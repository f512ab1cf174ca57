import { expect, test } from 'vitest';
import { usePublishingApi } from '../support/published.ts';
import { describeMutants } from './certification-mutants.ts';
import { erpMutants } from './certified-mutants.ts';

const api = usePublishingApi();

describeMutants(
  api,
  { program: 'erp.py', start: { role: 'erp' }, mutants: erpMutants },
  { 'no items': { start: { role: 'erp', brings_catalog: false } } },
  (endOf) => {
    test('an ERP is certified by what an ERP does, and the report names what does not apply', () => {
      const { report } = endOf('good');
      expect(report).toMatchObject({
        role: 'erp',
        verdict:
          '8 of 8 checks passed. 4 do not apply: it does not read the catalog, nor read lists, nor place orders.',
      });
      const left = report.checks.filter(({ status }) => status === 'not_applicable');
      expect(left.map(({ check }) => check)).toEqual([
        'catalog_pulled',
        'order_repeated',
        'every_page',
        'gone_and_cancelled',
      ]);
    });

    test('what a start says overrides its role', () => {
      const { report } = endOf('no items');
      expect(report).toMatchObject({ status: 'passed', does: { takes_orders: true, brings_catalog: false } });
      expect(report.checks.find(({ check }) => check === 'failed_items_read')).toMatchObject({
        status: 'not_applicable',
        reason: 'It does not bring the catalog.',
      });
    });
  },
);
