import type { z } from 'zod';
import { nearest } from './nearest.ts';

/**
 * The fault of a value, as a phrase that follows the name of its field: the one style of every message that a schema
 * does not define itself. Its reader knows JSON and not zod.
 */
export function sentence(issue: z.core.$ZodRawIssue): string {
  const { input } = issue;
  if (input === undefined && issue.code !== 'custom') return 'is required';
  const said = sentenceOf(issue, input);
  return input === null ? `${said}, not null` : said;
}

function sentenceOf(issue: z.core.$ZodRawIssue, input: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      return kinds[issue.expected] ?? 'has the wrong type';
    case 'invalid_value':
      return choice(issue.values.map(String), input);
    case 'invalid_format':
      return formats[issue.format] ?? 'does not have the form it must have';
    case 'too_small':
      return bound(issue.origin, issue.minimum, issue.inclusive === false ? 'more than' : 'at least');
    case 'too_big':
      return bound(issue.origin, issue.maximum, issue.inclusive === false ? 'less than' : 'at most');
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return `must not hold ${issue.keys.join(', ')}`;
    default:
      return 'is not valid';
  }
}

const kinds: Readonly<Record<string, string>> = {
  string: 'must be text',
  number: 'must be a number',
  int: 'must be a whole number',
  boolean: 'must be true or false',
  array: 'must be a list',
  object: 'must be an object',
  record: 'must be an object',
};

const formats: Readonly<Record<string, string>> = {
  datetime: 'must be an ISO 8601 timestamp with an offset or Z',
  date: 'must be a date, YYYY-MM-DD',
  guid: 'must be an id',
  uuid: 'must be an id',
};

/** A longer list is shown in part: its reader needs the documents. */
const mostChoices = 10;

function choice(values: readonly string[], input: unknown): string {
  const meant = typeof input === 'string' ? nearest(input, values) : undefined;
  if (meant !== undefined) return `is unknown: did you mean ${meant}?`;
  if (values.length === 1) return `must be ${values[0]}`;
  const more = values.length - mostChoices;
  return `must be one of ${values.slice(0, mostChoices).join(', ')}${more > 0 ? ` or ${more} more` : ''}`;
}

function bound(origin: string, limit: number | bigint | Date, relation: string): string {
  // The largest number that is exact: what is beyond it is no whole number to us.
  if (origin === 'int') return 'must be a whole number';
  if (origin === 'string') return `must have ${relation} ${limit} character${limit === 1 ? '' : 's'}`;
  if (origin === 'array') return `must hold ${relation} ${limit} ${limit === 1 ? 'entry' : 'entries'}`;
  return `must be ${relation} ${limit}`;
}
