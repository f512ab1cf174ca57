// What the four clients have in common. A template takes a value by its path here, as {{headers.retryAfter}}; scripts/templates.mjs
// refuses a path without a value, a value without a use, and a value that a template writes out.

/** Calls in all, the first one included. */
const tries = 5;
/** The wait doubles from a second up to this. */
const longestDelaySeconds = 30;
/** Each wait is multiplied by a random factor between these two, so that callers do not come back together. */
const delayPermille = { least: 750, most: 1250 };
/** Of answers after which a call is repeated. */
const statuses = [408, 429, 500, 502, 503, 504];
const secretPrefix = 'whsec_';
const exampleUrl = 'https://comanda.example.com';

/** `1, 2 and 3`. */
const listed = (all) => `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
const delays = Array.from({ length: tries - 1 }, (_, index) => Math.min(2 ** index, longestDelaySeconds));

/** Those of HTTP itself that never change (`Location`, `Content-Type`) stand in the templates. */
const headers = {
  idempotencyKey: 'Idempotency-Key',
  idempotencyReplayed: 'Idempotency-Replayed',
  errorReason: 'X-Error-Reason',
  errorSince: 'X-Error-Since',
  requestId: 'X-Request-Id',
  retryAfter: 'Retry-After',
  webhookId: 'webhook-id',
  webhookTimestamp: 'webhook-timestamp',
  webhookSignature: 'webhook-signature',
  contentDigest: 'content-digest',
};

/** The reasons of errors, and the one code that the clients compare with. */
const reasons = {
  validationError: 'validation_error',
  unknownCursor: 'unknown_cursor',
  cursorNotRestored: 'cursor_not_restored',
  missingHeader: 'missing_header',
  malformedHeader: 'malformed_header',
  oldTimestamp: 'old_timestamp',
  futureTimestamp: 'future_timestamp',
  alteredBody: 'altered_body',
  wrongSecret: 'wrong_secret',
  malformedBody: 'malformed_body',
};

export const model = {
  exampleUrl,
  calls: {
    tries,
    repeatedStatuses: statuses.join(', '),
    timeoutSeconds: 30,
    longestDelaySeconds,
    leastDelayFactor: delayPermille.least / 1000,
    mostDelayFactor: delayPermille.most / 1000,
    delayFactorRange: (delayPermille.most - delayPermille.least) / 1000,
    // PHP draws whole numbers.
    leastDelayPermille: delayPermille.least,
    mostDelayPermille: delayPermille.most,
    /** A longer Retry-After is not waited for. */
    longestWaitSeconds: 90,
  },
  lists: {
    /** The largest that the service takes. */
    pageLimit: 200,
    eventsPath: '/v2/events',
    /** How long the service keeps events. */
    feedDays: 30,
    followSeconds: 5,
  },
  json: { maxDepth: 200 },
  webhooks: {
    toleranceSeconds: 300,
    /** Of a timestamp in whole seconds. */
    timestampDigits: 12,
    secretPrefix,
    secretPrefixLength: secretPrefix.length,
    signaturePrefix: 'v1,',
    digestPattern: 'sha-256=:([A-Za-z0-9+/=]+):',
  },
  headers,
  reasons,
  messages: {
    badUrl: `url must be the base URL of a Comanda, like ${exampleUrl}`,
    badKey: 'key must be an API key',
    badHeader: 'a header must be one line',
    badPlace: 'give cursor, or updated_since the first time',
    cannotBeSent: 'cannot be sent',
    noAnswerFrom: 'no answer from',
    answerWas: 'the answer was',
    answerIsNotJson: 'the answer is not JSON',
    notWithin: 'not within',
    notUtf8: 'not UTF-8',
    noJsonAt: 'no JSON at character',
    isMissing: 'is missing',
    malformedTimestamp: `${headers.webhookTimestamp} must be a Unix time in whole seconds`,
    timestampIs: `${headers.webhookTimestamp} is`,
    secondsOld: 's old: a replay, or your clock is ahead',
    secondsAhead: 's ahead: your clock is behind',
    alteredBody: 'the body is not the one that was sent: pass the bytes as received',
    wrongSecret: 'it was not signed with this secret, or something was altered on the way',
    malformedBody: 'the body is signed, but it is not an event',
    badSecret: `the secret must be ${secretPrefix} followed by base64`,
  },
  /** Sentences of the documentation. What stands in backticks is marked as code in the way of each language. */
  docs: {
    title: 'a client for the API of a Comanda, in one file.',
    nothingElse: 'and nothing else.',
    theApi: 'The API of one location, by its base URL and a key',
    paths: 'Paths are those of the reference',
    repeats: `No answer, ${listed(statuses)} are repeated, \`tries\` times in all:`,
    delays: `when \`${headers.retryAfter}\` says, else after ${listed(delays)} seconds.`,
    writes: `Every write carries an \`${headers.idempotencyKey}\`, the same at every try, so nothing is done twice.`,
    gets: 'Reads, and returns `data`.',
    posts: 'Makes or does something, and returns `data`.',
    ownKey: 'An idempotency key of your own can be repeated days later.',
    patches: 'Changes what `body` holds, and returns `data`.',
    deletes: 'Deletes, and returns `data`.',
    anyCall: 'Any call, with status and headers of its answer.',
    each: 'Every entry of a list, page after page. Of a list that is newest first ask',
    elseTwice: 'else one may come twice.',
    answer: 'A success, or a 304.',
    data: 'What was asked for.',
    isReplay: 'Whether it was done before, by the same idempotency key, and is answered again.',
    cursor: 'Where to begin the next time. Keep it when the work of the entry that came last is done.',
    fieldFault: 'A field that was refused',
    whole: 'empty where the whole is meant',
    reason: 'Why, for programs: `out_of_stock`, `external_id_taken`. New ones may join.',
    detail: 'For a person, as the service wrote it;',
    fields: `The fields that a \`${reasons.validationError}\` names, read from its message: to show it to a person at the right place.`,
    requestId: 'Finds the call in the logs of the service.',
    retryAfter: 'Seconds to wait, where the service said so',
    since: `Of \`${reasons.cursorNotRestored}\`: the moment to begin the feed anew with, as \`since\``,
    location: 'The path of the resource that has it already, when an `external_id` or a `sku` is taken',
    noAnswer: 'Nothing answered, at any try. A write may have been done: repeat it with the same',
    webhookError: 'A delivery that must not be trusted: answer it with 400.',
    verifies: 'Checks that a delivery is ours, unaltered and recent, and returns its event',
    received: 'bytes as received, before anything parsed them',
  },
};
