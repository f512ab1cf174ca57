/** What an answer says in headers, under the names that it has in the answer of a tool. */
export const answerMembers = {
  'X-Read-As-Now': 'read_as_now',
  'X-Hidden-Event-Types': 'hidden_event_types',
  'Idempotency-Replayed': 'replayed',
} as const;

/** The names that tools have for what REST carries in headers. */
const names: Readonly<Record<string, string>> = {
  ...answerMembers,
  Link: 'next',
  ETag: 'etag',
  'Idempotency-Key': 'idempotency_key',
  'If-Match': 'if_match',
};

const name = new RegExp(`\\b(${Object.keys(names).join('|')})\\b`, 'g');

/** What only a sentence about HTTP says. */
const transport = /If-None-Match|percent-encoded|REST |\b304\b|typed client/;

/** A text of the documents as a model reads it: by the names of arguments and members, without sentences about HTTP. */
export function forModels(text: string): string {
  const kept = text.split(/(?<=[.!?]) (?=[A-Z`])/).filter((sentence) => !transport.test(sentence));
  return kept.join(' ').replace(name, (header) => names[header] ?? header);
}
