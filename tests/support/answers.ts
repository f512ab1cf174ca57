import { expect } from 'vitest';
import type { z } from 'zod';
import { ErrorBody } from '../../packages/api/src/errors.ts';
import type { ErrorCode } from '../../packages/api/src/reasons.ts';
import type { Answer } from './api.ts';
import { parseStrict } from './strict.ts';

/** The `data` of a successful answer, parsed with its documented schema made strict. */
export function dataOf<Schema extends z.ZodType>(
  answer: Answer,
  status: number,
  schema: Schema,
): z.output<Schema> {
  expect(answer.status, answer.text).toBe(status);
  expect(Object.keys(answer.body)).toEqual(['data']);
  return parseStrict(schema, answer.body.data);
}

/** The message of a refusal with that status and code, in the documented envelope. */
export function refusalOf(answer: Answer, status: number, code: ErrorCode): string {
  expect(answer.status, answer.text).toBe(status);
  const { error } = ErrorBody.parse(answer.body);
  expect(error.code).toBe(code);
  expect(error.request_id).toBe(answer.headers.get('x-request-id'));
  return error.message;
}
