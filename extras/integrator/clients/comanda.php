<?php

// comanda.php {{version}}: {{docs.title}}
// SPDX-License-Identifier: {{license}}. Needs PHP 8.1 or newer, with openssl for https, {{docs.nothingElse}}

declare(strict_types=1);

namespace Comanda;

const VERSION = '{{version}}';

/**
 * {{docs.theApi}}: orders, catalog, stock and events.
 *
 *     $comanda = new ComandaClient('{{exampleUrl}}', getenv('COMANDA_KEY'));
 *     $order = $comanda->get('/v2/orders/{id}', ['id' => $orderId]);
 *     foreach ($comanda->each('/v2/products', ['visible' => true]) as $product)
 *         echo $product['name'], ' ', $product['price'], "\n";
 *
 * {{docs.paths}}. Parameters fill the braces of the path; the others become the query.
 * {{docs.repeats}}
 * {{docs.delays}}
 * A `{{headers.retryAfter}}` beyond `$longestWait` seconds is not waited for: the call throws its `ComandaException`.
 * {{docs.writes}}
 *
 * A number with a decimal point comes as a string with its exact digits, which bcmath and databases take; a whole number as an int. A
 * number goes out exactly as `new Decimal('12.35')`.
 */
final class ComandaClient
{
    private const MAY_PASS = [{{calls.repeatedStatuses}}];

    public readonly string $url;

    public function __construct(
        string $url,
        #[\SensitiveParameter] private readonly string $key,
        private readonly float $timeout = {{calls.timeoutSeconds}}.0,
        private readonly int $tries = {{calls.tries}},
        private readonly float $longestWait = {{calls.longestWaitSeconds}}.0,
    ) {
        if (!preg_match('~\Ahttps?://[^/]~', $url)) {
            throw new \InvalidArgumentException('{{messages.badUrl}}');
        }
        if (!preg_match('/\A[\x21-\x7e]+\z/', $key)) {
            throw new \InvalidArgumentException('{{messages.badKey}}');
        }
        if (!ini_get('allow_url_fopen')) {
            throw new \RuntimeException('comanda.php needs allow_url_fopen to be on');
        }
        $this->url = rtrim($url, '/');
    }

    public function __debugInfo(): array
    {
        return ['url' => $this->url];
    }

    public function __serialize(): array
    {
        throw new \LogicException('a ComandaClient holds a key, and is not written down');
    }

    /** {{docs.gets}} */
    public function get(string $path, array $parameters = []): mixed
    {
        return $this->request('GET', $path, $parameters)->data();
    }

    /** {{docs.posts}} {{docs.ownKey}} */
    public function post(string $path, mixed $body = null, array $parameters = [], ?string $idempotencyKey = null): mixed
    {
        return $this->request('POST', $path, $parameters, $body, $idempotencyKey)->data();
    }

    /** {{docs.patches}} */
    public function patch(string $path, mixed $body, array $parameters = [], ?string $idempotencyKey = null): mixed
    {
        return $this->request('PATCH', $path, $parameters, $body, $idempotencyKey)->data();
    }

    /** {{docs.deletes}} */
    public function delete(string $path, array $parameters = [], ?string $idempotencyKey = null): mixed
    {
        return $this->request('DELETE', $path, $parameters, null, $idempotencyKey)->data();
    }

    /**
     * {{docs.anyCall}}
     *
     * @param array<string, string> $headers
     * @throws ComandaException the API refused
     * @throws NoAnswerException nothing answered
     */
    public function request(
        string $method,
        string $path,
        array $parameters = [],
        mixed $body = null,
        ?string $idempotencyKey = null,
        array $headers = [],
    ): Answer {
        $sent = $headers + [
            'Authorization' => "Bearer {$this->key}",
            'Accept' => 'application/json',
            'User-Agent' => 'comanda.php/' . VERSION,
            // Streams keep no connection.
            'Connection' => 'close',
        ];
        if (!in_array($method, ['GET', 'HEAD'], true)) {
            $sent['{{headers.idempotencyKey}}'] = $idempotencyKey ??= self::newKey();
        }
        if ($body !== null) {
            $sent['Content-Type'] = 'application/json';
        }
        foreach ($sent as $name => $value) {
            if (preg_match('/[\x00-\x1f\x7f]/', $name . $value)) {
                throw new \InvalidArgumentException('{{messages.badHeader}}');
            }
        }
        $options = [
            'method' => $method,
            'header' => array_map(fn(string $name) => "$name: {$sent[$name]}", array_keys($sent)),
            'timeout' => $this->timeout,
            'protocol_version' => 1.1,
            'ignore_errors' => true,
            // A redirect is not followed: the key is for this host alone.
            'follow_location' => 0,
        ];
        if ($body !== null) {
            $options['content'] = encode($body);
        }
        return $this->send($this->url . filled($path, $parameters), $options, $idempotencyKey);
    }

    /**
     * {{docs.each}} `order` = `asc`: {{docs.elseTwice}}
     *
     * @return \Generator<int, array>
     */
    public function each(string $path, array $parameters = []): \Generator
    {
        $parameters += ['limit' => {{lists.pageLimit}}, 'offset' => 0];
        do {
            $page = $this->request('GET', $path, $parameters)->body;
            foreach ($page['data'] as $entry) {
                yield $entry;
            }
            // Large entries make a page shorter than was asked for: its limit shows that.
            $parameters['offset'] += $page['pagination']['limit'];
        } while ($parameters['offset'] < $page['pagination']['total']);
    }

    /**
     * What changed of `/v2/orders`, `/v2/products`, `/v2/stock` and others: `$parameters` hold `updated_since` the first time, and
     * `cursor` from then on.
     */
    public function changes(string $path, array $parameters): Reading
    {
        $parameters += ['limit' => {{lists.pageLimit}}];
        $cursor = $parameters['cursor'] ?? null;
        $since = $parameters['updated_since'] ?? null;
        unset($parameters['cursor'], $parameters['updated_since']);
        if (($cursor === null) === ($since === null)) {
            throw new \InvalidArgumentException('{{messages.badPlace}}');
        }
        $steps = function (?string $cursor) use ($path, $parameters, $since): \Generator {
            do {
                $place = $cursor === null ? ['updated_since' => $since] : ['cursor' => $cursor];
                $page = $this->request('GET', $path, $place + $parameters)->body;
                $last = array_pop($page['data']);
                foreach ($page['data'] as $entry) {
                    yield [$cursor, $entry];
                }
                // The cursor of a page counts when all of the page is done.
                $cursor = $page['pagination']['next'];
                yield [$cursor, $last];
            } while ($last !== null && count($page['data']) + 1 >= $page['pagination']['limit']);
        };
        return new Reading($steps($cursor), $cursor);
    }

    /**
     * The feed of events in its order: after an event, or since a moment, or all of {{lists.feedDays}} days; `after: 'latest'` is now. It ends where the
     * feed ends; with `follow` it has no end, and asks again `every` so many seconds. Keep the cursor of the reading, and give it as
     * `after` the next time. An unknown cursor is a `ComandaException` with the reason `{{reasons.unknownCursor}}`: begin with `since`. A cursor
     * that a restore of the service took has the reason `{{reasons.cursorNotRestored}}`: begin with `since: $error->since`.
     *
     * @param list<string>|null $types
     */
    public function events(
        ?string $after = null,
        string|\DateTimeInterface|null $since = null,
        ?array $types = null,
        bool $follow = false,
        float $every = {{lists.followSeconds}}.0,
    ): Reading {
        $steps = function (?string $after) use ($since, $types, $follow, $every): \Generator {
            while (true) {
                $place = $after === null ? ['since' => $since] : ['after' => $after];
                $page = $this->request('GET', '{{lists.eventsPath}}', $place + ['types' => $types, 'limit' => {{lists.pageLimit}}])->body;
                foreach ($page['data'] as $event) {
                    $after = $event['id'];
                    yield [$after, $event];
                }
                $after = $page['pagination']['next'] ?? $after;
                yield [$after, null];
                if (count($page['data']) < $page['pagination']['limit']) {
                    if (!$follow) {
                        return;
                    }
                    pause($every);
                }
            }
        };
        return new Reading($steps($after), $after);
    }

    private static function newKey(): string
    {
        $bytes = random_bytes(16);
        $bytes[6] = chr(ord($bytes[6]) & 0x0f | 0x40);
        $bytes[8] = chr(ord($bytes[8]) & 0x3f | 0x80);
        return vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split(bin2hex($bytes), 4));
    }

    private function send(string $url, array $options, ?string $idempotencyKey): Answer
    {
        for ($tried = 1; ; $tried++) {
            $wait = min(2 ** ($tried - 1), {{calls.longestDelaySeconds}}) * random_int({{calls.leastDelayPermille}}, {{calls.mostDelayPermille}}) / 1000;
            try {
                [$status, $headers, $body] = $this->exchange($url, $options);
                if ($status === 304) {
                    return new Answer($status, $headers, null);
                }
                if ($status < 300) {
                    return new Answer($status, $headers, $body === '' ? null : decode($body));
                }
                $error = new ComandaException($status, $headers, $body);
                $wait = $error->retryAfter ?? $wait;
                if (!in_array($status, self::MAY_PASS, true) || $tried >= $this->tries || $wait > $this->longestWait) {
                    throw $error;
                }
            } catch (ConnectionFault | \JsonException $fault) {
                if ($tried >= $this->tries) {
                    throw new NoAnswerException("{{messages.noAnswerFrom}} {$this->url}: {$fault->getMessage()}", $idempotencyKey);
                }
            }
            pause($wait);
        }
    }

    /** @return array{int, array<string, string>, string} */
    private function exchange(string $url, array $options): array
    {
        error_clear_last();
        $stream = @fopen($url, 'r', false, stream_context_create(['http' => $options]));
        if ($stream === false) {
            throw new ConnectionFault(preg_replace('/^.*: /s', '', error_get_last()['message'] ?? 'no connection'));
        }
        try {
            stream_set_timeout($stream, (int) $this->timeout, (int) (fmod($this->timeout, 1) * 1_000_000));
            $body = @stream_get_contents($stream);
            $about = stream_get_meta_data($stream);
        } finally {
            fclose($stream);
        }
        $status = 0;
        $headers = [];
        foreach ($about['wrapper_data'] as $line) {
            if (preg_match('~\AHTTP/\S+ ([0-9]{3})~', $line, $match)) {
                // A 100 may come before.
                [$status, $headers] = [(int) $match[1], []];
            } elseif (str_contains($line, ':')) {
                [$name, $value] = explode(':', $line, 2);
                $name = strtolower($name);
                $headers[$name] = isset($headers[$name]) ? "{$headers[$name]}, " . trim($value) : trim($value);
            }
        }
        $length = $options['method'] === 'HEAD' ? null : $headers['content-length'] ?? null;
        if ($about['timed_out'] || $body === false || $status < 200 || ($length !== null && strlen($body) !== (int) $length)) {
            throw new ConnectionFault($about['timed_out'] ? "{{messages.notWithin}} {$this->timeout} s" : '{{messages.answerWas}} cut off');
        }
        return [$status, $headers, $body];
    }
}

/** {{docs.answer}} */
final class Answer
{
    /**
     * @param array<string, string> $headers by their names in lower case
     * @param mixed $body all of it, parsed: `data`, and `pagination` for a list; null for a 304
     */
    public function __construct(public readonly int $status, public readonly array $headers, public readonly mixed $body)
    {
    }

    /** {{docs.data}} */
    public function data(): mixed
    {
        return $this->body === null ? null : $this->body['data'];
    }

    /** {{docs.isReplay}} */
    public function isReplay(): bool
    {
        return ($this->headers['{{headers.idempotencyReplayed | lower}}'] ?? '') === 'true';
    }
}

/**
 * Entries one after the other, and the cursor behind them. It can be read once.
 *
 * @implements \IteratorAggregate<int, array>
 */
final class Reading implements \IteratorAggregate
{
    /** @internal */
    public function __construct(private readonly \Generator $steps, private ?string $cursor)
    {
    }

    private bool $isBegun = false;

    /** {{docs.cursor}} */
    public function cursor(): ?string
    {
        return $this->cursor;
    }

    public function getIterator(): \Generator
    {
        while (true) {
            // Whoever left the loop and reads on gets the next entry, not the last one again.
            if ($this->isBegun) {
                $this->steps->next();
            }
            $this->isBegun = true;
            if (!$this->steps->valid()) {
                return;
            }
            [$this->cursor, $entry] = $this->steps->current();
            if ($entry !== null) {
                yield $entry;
            }
        }
    }
}

/** A number that goes out with exactly these digits: `new Decimal('12.35')`. */
final class Decimal
{
    public readonly string $text;

    public function __construct(string|int $number)
    {
        if (!preg_match('/\A-?(0|[1-9][0-9]*)(\.[0-9]+)?\z/', (string) $number)) {
            throw new \InvalidArgumentException('a Decimal is written as in 12.35');
        }
        $this->text = (string) $number;
    }

    public function __toString(): string
    {
        return $this->text;
    }
}

/** {{docs.fieldFault}}. */
final class FieldFault
{
    /**
     * @param string $path as in `items[0].quantity`; {{docs.whole}}
     * @param string $message for a person
     */
    public function __construct(public readonly string $path, public readonly string $message)
    {
    }
}

/** The API refused. Decide by `status`, then `errorCode`, then `reason`; `/docs/errors` of the service explains each. */
final class ComandaException extends \RuntimeException
{
    public readonly string $errorCode;
    /** {{docs.reason}} */
    public readonly string $reason;
    /** {{docs.detail}} `getMessage()` is fit for a terminal. */
    public readonly string $detail;
    /** @var list<FieldFault> {{docs.fields}} */
    public readonly array $fields;
    /** {{docs.requestId}} */
    public readonly string $requestId;
    /** {{docs.retryAfter}}. */
    public readonly ?float $retryAfter;
    /** {{docs.since}}. */
    public readonly ?string $since;
    /** {{docs.location}}. */
    public readonly ?string $location;

    /** @internal */
    public function __construct(public readonly int $status, array $headers, string $body)
    {
        $error = self::errorIn($body);
        $this->errorCode = $error['code'] ?? '';
        $this->reason = $headers['{{headers.errorReason | lower}}'] ?? '';
        $this->detail = $error['message'] ?? "{{messages.answerWas}} $status";
        $this->fields = $this->errorCode === '{{reasons.validationError}}' ? self::fieldsIn($this->detail) : [];
        $this->requestId = $error['request_id'] ?? $headers['{{headers.requestId | lower}}'] ?? '';
        $this->retryAfter = self::retryAfterIn($headers['{{headers.retryAfter | lower}}'] ?? '');
        $this->since = $headers['{{headers.errorSince | lower}}'] ?? null;
        $this->location = $headers['location'] ?? null;
        $why = $this->reason !== '' ? $this->reason : $this->errorCode;
        parent::__construct(printable("$status $why: {$this->detail} (request {$this->requestId})"));
    }

    /** @return array<string, string> */
    private static function errorIn(string $body): array
    {
        try {
            $error = decode($body)['error'] ?? null;
        } catch (\JsonException) {
            // Something in between wrote it.
            return [];
        }
        return is_array($error) ? array_filter($error, 'is_string') : [];
    }

    /** @return list<FieldFault> */
    private static function fieldsIn(string $message): array
    {
        $faults = [];
        foreach (explode('; ', preg_replace('/; and \d+ more\z/', '', $message)) as $part) {
            if (preg_match('/\A([A-Za-z_][\w.\[\]-]*): (.*)\z/s', $part, $named)) {
                $faults[] = new FieldFault($named[1], $named[2]);
            } elseif ($faults === []) {
                $faults[] = new FieldFault('', $part);
            } else {
                // A semicolon of the sentence itself.
                $before = array_pop($faults);
                $faults[] = new FieldFault($before->path, "{$before->message}; $part");
            }
        }
        return $faults;
    }

    private static function retryAfterIn(string $said): ?float
    {
        if (preg_match('/\A[0-9]+\z/', $said)) {
            return (float) $said;
        }
        $moment = \DateTimeImmutable::createFromFormat('D, d M Y H:i:s T', $said);
        return $moment === false ? null : max(0.0, (float) $moment->format('U.u') - microtime(true));
    }
}

/** {{docs.noAnswer}} `idempotencyKey`. */
final class NoAnswerException extends \RuntimeException
{
    /** @internal */
    public function __construct(string $message, public readonly ?string $idempotencyKey)
    {
        parent::__construct(printable($message));
    }
}

/** {{docs.webhookError}} */
final class WebhookException extends \RuntimeException
{
    /**
     * @internal
     * @param string $reason `{{reasons.missingHeader}}`, `{{reasons.malformedHeader}}`, `{{reasons.oldTimestamp}}`, `{{reasons.futureTimestamp}}`, `{{reasons.alteredBody}}`, `{{reasons.wrongSecret}}`,
     *     `{{reasons.malformedBody}}`
     */
    public function __construct(public readonly string $reason, string $message)
    {
        parent::__construct(printable($message));
    }
}

/** @internal */
final class ConnectionFault extends \RuntimeException
{
}

/**
 * {{docs.verifies}}.
 *
 * @param string|list<string> $secret the secret of the endpoint (`{{webhooks.secretPrefix}}...`), or several around a rotation
 * @param array<string, string|list<string>> $headers of the request, in any case: `getallheaders()`
 * @param string $body the {{docs.received}}: `file_get_contents('php://input')`
 * @param float $tolerance seconds, either way
 * @param float|null $now Unix seconds; by itself the clock of the machine
 * @throws WebhookException it is not to be trusted
 */
function verifyWebhook(
    #[\SensitiveParameter] string|array $secret,
    array $headers,
    string $body,
    float $tolerance = {{webhooks.toleranceSeconds}},
    ?float $now = null,
): array {
    $given = array_map(
        fn(string|array $value): string => is_array($value) ? (string) reset($value) : $value,
        array_change_key_case($headers),
    );
    foreach (['{{headers.webhookId}}', '{{headers.webhookTimestamp}}', '{{headers.webhookSignature}}'] as $name) {
        if (trim($given[$name] ?? '') === '') {
            throw new WebhookException('{{reasons.missingHeader}}', "the header $name {{messages.isMissing}}");
        }
    }
    $timestamp = $given['{{headers.webhookTimestamp}}'];
    if (!preg_match('/\A[0-9]{1,{{webhooks.timestampDigits}}}\z/', $timestamp)) {
        throw new WebhookException('{{reasons.malformedHeader}}', '{{messages.malformedTimestamp}}');
    }
    $age = ($now ?? microtime(true)) - (int) $timestamp;
    $seconds = round(abs($age));
    if ($age > $tolerance) {
        throw new WebhookException('{{reasons.oldTimestamp}}', "{{messages.timestampIs}} $seconds {{messages.secondsOld}}");
    }
    if (-$age > $tolerance) {
        throw new WebhookException('{{reasons.futureTimestamp}}', "{{messages.timestampIs}} $seconds {{messages.secondsAhead}}");
    }
    $isOurs = false;
    foreach ((array) $secret as $each) {
        $mac = hash_hmac('sha256', "{$given['{{headers.webhookId}}']}.$timestamp.$body", keyOf($each), true);
        // Every pair is compared: the time taken shows nothing.
        foreach (preg_split('/\s+/', trim($given['{{headers.webhookSignature}}'])) as $signature) {
            $isOurs = hash_equals('{{webhooks.signaturePrefix}}' . base64_encode($mac), $signature) || $isOurs;
        }
    }
    if (!$isOurs) {
        $hasDigest = preg_match('~{{webhooks.digestPattern}}~', $given['{{headers.contentDigest}}'] ?? '', $digest);
        if ($hasDigest && $digest[1] !== base64_encode(hash('sha256', $body, true))) {
            throw new WebhookException('{{reasons.alteredBody}}', '{{messages.alteredBody}}');
        }
        throw new WebhookException('{{reasons.wrongSecret}}', '{{messages.wrongSecret}}');
    }
    try {
        $event = str_starts_with(ltrim($body, " \t\r\n"), '{') ? decode($body) : null;
    } catch (\JsonException) {
        $event = null;
    }
    return $event ?? throw new WebhookException('{{reasons.malformedBody}}', '{{messages.malformedBody}}');
}

function keyOf(#[\SensitiveParameter] string $secret): string
{
    $key = str_starts_with($secret, '{{webhooks.secretPrefix}}') ? base64_decode(substr($secret, {{webhooks.secretPrefixLength}}), true) : false;
    if ($key === false || $key === '') {
        throw new WebhookException('{{reasons.wrongSecret}}', '{{messages.badSecret}}');
    }
    return $key;
}

/** A string, or a number that is none of an int. */
const TOKEN = '/"(?:[^"\\\\]++|\\\\.)*+"|-?[0-9]++(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?+/s';

/** Reads JSON: a number with a decimal point or an exponent, or beyond an int, becomes a string with its digits. */
function decode(string $json): mixed
{
    // As it was written it must be JSON: the quotes below could make it so.
    json_decode($json, true, {{json.maxDepth}}, JSON_THROW_ON_ERROR);
    $quote = fn(array $token) => $token[0][0] !== '"' && strpbrk($token[0], '.eE') !== false ? "\"$token[0]\"" : $token[0];
    $quoted = preg_replace_callback(TOKEN, $quote, $json) ?? throw new \JsonException('too large');
    return json_decode($quoted, true, {{json.maxDepth}}, JSON_THROW_ON_ERROR | JSON_BIGINT_AS_STRING);
}

/** Writes JSON. A float goes out with the fewest digits that make it, which are exact up to 15. */
function encode(mixed $value): string
{
    if ($value instanceof Decimal) {
        return $value->text;
    }
    if ($value instanceof \stdClass || (is_array($value) && !array_is_list($value))) {
        $members = [];
        foreach ((array) $value as $name => $member) {
            $members[] = encode((string) $name) . ':' . encode($member);
        }
        return '{' . implode(',', $members) . '}';
    }
    if (is_array($value)) {
        return '[' . implode(',', array_map(encode(...), $value)) . ']';
    }
    $plain = $value === null || is_scalar($value) ? $value : text($value);
    $before = ini_set('serialize_precision', '-1');
    try {
        return json_encode($plain, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES);
    } catch (\JsonException $fault) {
        throw new \InvalidArgumentException("{{messages.cannotBeSent}} as JSON: {$fault->getMessage()}");
    } finally {
        ini_set('serialize_precision', $before);
    }
}

/** A value as it is written in a query. */
function text(mixed $value): string
{
    return match (true) {
        is_bool($value) => $value ? 'true' : 'false',
        is_array($value) => implode(',', array_map(text(...), $value)),
        $value instanceof \DateTimeInterface => $value->format('Y-m-d\TH:i:s.uP'),
        $value instanceof \BackedEnum => (string) $value->value,
        is_scalar($value), $value instanceof \Stringable => (string) $value,
        default => throw new \InvalidArgumentException(get_debug_type($value) . ' {{messages.cannotBeSent}}'),
    };
}

function filled(string $path, array $parameters): string
{
    $fill = function (array $match) use ($path, &$parameters): string {
        $value = $parameters[$match[1]] ?? throw new \InvalidArgumentException("$path needs $match[1]");
        unset($parameters[$match[1]]);
        return rawurlencode(text($value));
    };
    $filled = preg_replace_callback('/\{(\w+)\}/', $fill, $path);
    $texts = array_map(text(...), array_filter($parameters, fn(mixed $value) => $value !== null));
    return $texts === [] ? $filled : "$filled?" . http_build_query($texts, '', '&', PHP_QUERY_RFC3986);
}

function pause(float $seconds): void
{
    // Beyond a second some systems refuse usleep.
    time_nanosleep((int) $seconds, (int) (fmod($seconds, 1) * 1_000_000_000));
}

/**
 * A text as a part of one line: controls of C0 and C1, DEL, both separators and what turns the direction of writing are shown as their
 * codes. Bytes that are no UTF-8 are shown as question marks.
 */
function printable(string $text): string
{
    $marks = '/[\x00-\x1f\x7f-\x{9f}\x{61c}\x{200e}\x{200f}\x{2028}-\x{202e}\x{2066}-\x{2069}]/u';
    $code = fn(array $mark) => strlen($mark[0]) === 1 ? sprintf('\u%04x', ord($mark[0])) : trim(json_encode($mark[0]), '"');
    return preg_replace_callback($marks, $code, $text) ?? preg_replace('/[^\x20-\x7e]/', '?', $text);
}
