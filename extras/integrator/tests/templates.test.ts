import { expect, test } from 'vitest';
import { fillTemplates } from '../../../scripts/templates.mjs';

const model = {
  headers: { requestId: 'X-Request-Id' },
  waitSeconds: 90,
  docs: { key: 'Of a write: `key`.' },
};
const python = '# {{docs.key}}\nid = "{{headers.requestId | lower}}"\nwait = {{waitSeconds}}.0\n';

test('a template is filled as its language writes code in documentation', () => {
  expect(fillTemplates(model, { 'a.py': python, 'A.java': '{{docs.key}}', 'A.cs': '{{docs.key}}' })).toEqual({
    'a.py': '# Of a write: `key`.\nid = "x-request-id"\nwait = 90.0\n',
    'A.java': 'Of a write: {@code key}.',
    'A.cs': 'Of a write: <c>key</c>.',
  });
});

test.each([
  ['a placeholder without a value', model, '{{headers.etag}}', 'a.py: {{headers.etag}} has no value'],
  ['a value without a use', { ...model, unused: 1 }, '', 'no template uses unused'],
  ['a value to be escaped', { ...model, note: 'a "b"' }, '{{note}}', 'note has a character'],
  ['a header by hand', model, "['x-request-id']", 'a.py writes out headers.requestId: X-Request-Id'],
  ['a number by hand', model, 'wait=90.0', 'a.py writes out waitSeconds: 90'],
  ['a sentence by hand', model, '# Of a write: `key`.', 'a.py writes out docs.key'],
])('%s is refused', (_, values, more, fault) => {
  expect(() => fillTemplates(values, { 'a.py': `${python}${more}` })).toThrow(fault);
});
