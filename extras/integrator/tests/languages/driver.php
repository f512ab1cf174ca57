<?php

// Does with comanda.php what each line of the input says, and answers a line.

declare(strict_types=1);

require $argv[1];

use Comanda\ComandaClient;
use Comanda\ComandaException;
use Comanda\Decimal;
use Comanda\NoAnswerException;
use Comanda\Reading;
use Comanda\WebhookException;

use function Comanda\verifyWebhook;

set_error_handler(function (int $level, string $message): bool {
    // What is silenced by @ is meant.
    return (error_reporting() & $level) === 0 ? false : throw new ErrorException($message);
});

while (($line = fgets(STDIN)) !== false) {
    $command = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
    echo json_encode(array_filter(answered($command), fn($value) => $value !== null), JSON_THROW_ON_ERROR), "\n";
}

function answered(array $command): array
{
    try {
        return done($command);
    } catch (ComandaException $error) {
        return ['error' => [
            'kind' => 'refused', 'status' => $error->status, 'code' => $error->errorCode, 'reason' => $error->reason,
            'detail' => $error->detail, 'fields' => array_map(fn($each) => [$each->path, $each->message], $error->fields),
            'request_id' => $error->requestId, 'retry_after' => $error->retryAfter, 'since' => $error->since,
            'location' => $error->location, 'text' => $error->getMessage(),
        ]];
    } catch (NoAnswerException $error) {
        return ['error' => ['kind' => 'no_answer', 'idempotency_key' => $error->idempotencyKey, 'text' => (string) $error]];
    } catch (WebhookException $error) {
        return ['error' => ['kind' => 'webhook', 'reason' => $error->reason, 'text' => $error->getMessage()]];
    } catch (InvalidArgumentException $error) {
        return ['error' => ['kind' => 'argument', 'text' => (string) $error]];
    }
}

function done(array $command): array
{
    if ($command['do'] === 'verify') {
        $body = base64_decode($command['body']);
        $secrets = count($command['secrets']) === 1 ? $command['secrets'][0] : $command['secrets'];
        return ['event' => verifyWebhook($secrets, $command['headers'], $body, now: $command['now'])];
    }
    $client = $command['client'];
    $comanda = new ComandaClient($client['url'], $client['key'], ($client['timeout_ms'] ?? 30_000) / 1000, $client['tries'] ?? 5);
    $path = $command['path'] ?? '';
    $parameters = array_map(plain(...), $command['parameters'] ?? []);
    switch ($command['do']) {
        case 'show':
            return ['text' => print_r($comanda, true)];
        case 'each':
            return ['entries' => iterator_to_array($comanda->each($path, $parameters))];
        case 'changes':
            return taken($command, $comanda->changes($path, $parameters));
        case 'events':
            $follow = isset($command['follow']);
            return taken($command, $comanda->events(...$parameters, follow: $follow, every: 0.05));
        default:
            $answer = $comanda->request(
                $command['method'], $path, $parameters, array_key_exists('body', $command) ? plain($command['body']) : null,
                $command['idempotency_key'] ?? null, $command['headers'] ?? [],
            );
            $etag = $answer->headers['etag'] ?? null;
            return ['status' => $answer->status, 'data' => $answer->data(), 'is_replay' => $answer->isReplay(), 'etag' => $etag];
    }
}

function taken(array $command, Reading $reading): array
{
    $entries = [];
    foreach ($reading as $entry) {
        $entries[] = $entry;
        if (count($entries) === ($command['take'] ?? null)) {
            break;
        }
    }
    return ['entries' => $entries, 'cursor' => $reading->cursor()];
}

/** Values of PHP's own, as a program has them. */
function plain(mixed $value): mixed
{
    return match (true) {
        !is_array($value) => $value,
        isset($value['$decimal']) => new Decimal($value['$decimal']),
        isset($value['$moment']) => new DateTimeImmutable($value['$moment']),
        isset($value['$date']) => $value['$date'],
        isset($value['$object']) => new ArrayObject(),
        default => array_map(plain(...), $value),
    };
}
