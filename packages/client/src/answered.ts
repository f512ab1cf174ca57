/** The headers of an answer, and the index of its call where others share them. @internal */
export interface Answered {
  headers: Headers;
  index: number | undefined;
}

const answered = new WeakMap<object, Answered>();

/** Keeps what came with the answer of a call. @internal */
export function noteAnswer(data: unknown, { headers }: Response, index: number | undefined): void {
  if (data instanceof Object) answered.set(data, { headers, index });
}

/** The headers of an answer that this client made. @internal */
export const answeredWith = (answer: object): Answered | undefined => answered.get(answer);
