import { type Input, ReadInput } from '../bodies/input.ts';
import { readParameter } from '../bodies/read.ts';
import { ApiError } from '../errors.ts';
import { refuseDeep } from '../request/readable.ts';

/**
 * Reads the input of each call of one request from what `read` gives, which is called when the first admitted call asks for
 * its input.
 */
export function inputsOf(
  read: () => Promise<Input>,
  isBatch: boolean,
): (index: number) => Promise<ReadInput> {
  let all: Promise<Input> | undefined;
  return async (index) => {
    all ??= read();
    const { value, exact, mayBeUnstorable } = await all;
    const of = (inputs: unknown) => (isBatch ? (inputs as Record<number, unknown>)[index] : inputs);
    const input = of(value);
    refuseDeep(input);
    return new ReadInput(input, of(exact), mayBeUnstorable);
  };
}

/**
 * Reads the inputs in a URL. The adapter's own parser would round the numbers before they are judged. Throws what
 * `readParameter` throws, and 400 for inputs of a batch that are no object.
 */
export async function readInUrl(url: URL | null, isBatch: boolean): Promise<Input> {
  const read = readParameter(url?.searchParams.get('input') ?? '');
  if (isBatch && (typeof read.value !== 'object' || read.value === null || Array.isArray(read.value)))
    throw new ApiError('unreadable_request', 'The input of a batch must be an object.');
  return read;
}
