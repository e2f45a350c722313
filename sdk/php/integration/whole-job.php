<?php

// Calls every route like a merchant's program. service/test/sdk starts it and acts as the wallet; both exchange lines of JSON.

declare(strict_types=1);

namespace Vidimus\Integration;

use Vidimus\Client;
use Vidimus\Exception;
use Vidimus\Exception\VidimusException;
use Vidimus\Exception\WebhookVerificationException;
use Vidimus\Model\Verification;
use Vidimus\NewVerification;
use Vidimus\Status;
use Vidimus\Webhook;

require __DIR__ . '/../autoload.php';

set_error_handler(static function (int $level, string $message, string $file, int $line): never {
    throw new \ErrorException($message, 0, $level, $file, $line);
});

/** @param array<string, mixed> $what */
function tell(array $what): void
{
    echo json_encode($what, JSON_THROW_ON_ERROR), "\n";
}

/** @return array<string, mixed> */
function hear(): array
{
    return json_decode((string) fgets(STDIN), true, flags: JSON_THROW_ON_ERROR);
}

/**
 * @param array<string, mixed> $more
 * @return array<string, mixed>
 */
function ask(string $what, array $more = []): array
{
    tell(['ask' => $what] + $more);
    return hear();
}

function check(bool $fact, mixed $what = null): void
{
    if (!$fact) {
        throw new \LogicException('not so: ' . print_r($what, true));
    }
}

/** @param class-string<VidimusException> $class exactly this one */
function refused(string $class, string $code, int $status, callable $act): VidimusException
{
    try {
        $act();
    } catch (VidimusException $error) {
        check($error::class === $class && $error->errorCode === $code && $error->status === $status, $error);
        check(str_starts_with($error->requestId ?? '', 'req_'), $error->requestId);
        return $error;
    }
    throw new \LogicException("{$code} was to be thrown");
}

function refusedWebhook(string $code, string $body, ?string $header, string $secret, int $now): void
{
    try {
        Webhook::verify($body, $header, $secret, now: $now);
    } catch (WebhookVerificationException $error) {
        check($error->fault->value === $code, $error);
        return;
    }
    throw new \LogicException("{$code} was to be thrown");
}

$url = (string) getenv('VIDIMUS_URL');
$key = (string) getenv('VIDIMUS_API_KEY');
$secret = (string) getenv('VIDIMUS_WEBHOOK_SECRET');
$client = new Client($url, $key);
$age = new NewVerification(template: 'age_over_18');

// Create and wait: the holder answers while we pause between two polls.
$order = new NewVerification(
    template: 'age_over_18',
    purpose: 'To sell you wine',
    metadata: ['order' => '17'],
    redirectUrl: 'https://shop.example/done',
);
$created = $client->verifications->create($order, idempotencyKey: 'order-17');
check($created->status === Status::Pending && $created->purpose === 'To sell you wine', $created);
check($client->verifications->create($order, idempotencyKey: 'order-17')->id === $created->id, 'the same key is the same verification');
$another = new NewVerification(template: 'identity');
refused(Exception\InvalidRequestException::class, 'idempotency_key_reused', 422, fn () => $client->verifications->create($another, 'order-17'));
$page = ask('open', ['url' => $client->verifications->hostedUrl($created->id)]);
check($page['status'] === 200 && str_starts_with($page['type'], 'text/html'), $page);
tell(['did' => 'create']);
$redirects = [];
$answerMeanwhile = static function () use (&$redirects, $created): void {
    $redirects[] = ask('present', ['wallet_uri' => $created->walletUri])['redirect_uri'];
};
$result = (new Client($url, $key, sleep: $answerMeanwhile))->verifications->waitForResult($created->id);
check(count($redirects) === 1 && $result->status === Status::Completed, $result);
check($result->claims === ['age_over_18' => true] && $result->metadata === ['order' => '17'], $result);
check($result->credentials[0]->trusted && $result->credentials[0]->signatureValid, $result);
tell(['did' => 'wait']);

// Redeem once, and read.
$code = str_replace('response_code=', '', (string) parse_url($redirects[0], PHP_URL_FRAGMENT));
check($client->verifications->redeem($result->id, $code) == $result);
refused(Exception\NotFoundException::class, 'invalid_response_code', 404, fn () => $client->verifications->redeem($result->id, $code));
tell(['did' => 'redeem']);
check($client->verifications->get($result->id) == $result);
check($client->verifications->status($result->id)->status === Status::Completed);
tell(['did' => 'read']);
check(substr_count($client->verifications->receipt($result->id), '.') === 2);
ask('grow', []);
check(str_starts_with($client->verifications->receiptProof($result->id), "c2sp.org/tlog-proof@v1\n"));
$diagnostics = $client->verifications->diagnostics($result->id);
check($diagnostics->channel === 'redirect' && $diagnostics->status === 'completed', 'diagnostics');
check(($diagnostics->credentials[0]->checks['issuer_trusted'] ?? null) === 'passed', 'checks');
tell(['did' => 'diagnostics']);
refused(Exception\NotFoundException::class, 'evidence_not_found', 404, fn () => $client->verifications->collectEvidence($result->id));
tell(['did' => 'evidence']);

// List page by page, and cancel.
$expected = [$result->id];
for ($count = 0; $count < 4; $count++) {
    array_unshift($expected, $client->verifications->create($age)->id);
}
foreach ([1, 2, 5, 100] as $pageSize) {
    $seen = array_map(fn (Verification $one) => $one->id, iterator_to_array($client->verifications->all(pageSize: $pageSize)));
    check($seen === $expected, $seen);
}
check($client->verifications->list(limit: 1)[0]->id === $expected[0]);
$named = $client->verifications->create(new NewVerification(template: 'age_over_16', metadata: ['reference' => 'Order 8642']))->id;
$ids = fn (iterable $found) => array_map(fn (Verification $one) => $one->id, [...$found]);
check($ids($client->verifications->list(template: 'age_over_16')) === [$named]);
check($ids($client->verifications->all(template: 'age_over_16')) === [$named]);
check($ids($client->verifications->list(reference: '8642', status: 'pending')) === [$named]);
check($client->verifications->list(reference: '8642', status: 'failed') === []);
tell(['did' => 'list']);
check($client->verifications->cancel($expected[0])->status === Status::Expired);
check($client->verifications->cancel($expected[0])->status === Status::Expired, 'cancelling twice is not an error');
refused(Exception\ConflictException::class, 'session_already_responded', 409, fn () => $client->verifications->cancel($result->id));
tell(['did' => 'cancel']);

// Links.
$made = $client->links->create($age, uses: null, idempotencyKey: 'link-1');
check($client->links->create($age, uses: null, idempotencyKey: 'link-1')->url === $made->url, 'the same link');
check($made->link->uses === null && $made->link->opened === 0 && !isset($made->link->raw['url']), $made->link);
check($client->links->create($age)->link->uses === 1);
check($client->links->get($made->link->id)->state === 'open');
check(count($client->links->list(limit: 2)) === 2);
check($client->links->revoke($made->link->id)->state === 'revoked');
refused(Exception\NotFoundException::class, 'link_not_found', 404, fn () => $client->links->get('lnk_unknown'));
tell(['did' => 'links']);

// Devices.
$registered = $client->devices->register('Till 9', ['age_over_18']);
$pair = $client->devices->enroll($registered->pairingCode);
check($pair->device->status === 'active', $pair);
$till = new Client($url, $client->devices->refresh($pair->refreshToken)->accessToken);
$own = $till->verifications->create($age);
refused(Exception\PermissionDeniedException::class, 'insufficient_scope', 403, fn () => $till->verifications->erase($own->id));
check(array_keys($till->templates()->titles) === ['age_over_18']);
check(in_array($registered->device->id, array_map(fn ($device) => $device->id, $client->devices->list()), true));
check($client->devices->revoke($registered->device->id)->status === 'revoked');
check($client->devices->revoke($registered->device->id)->status === 'revoked', 'revoking twice is not an error');
refused(Exception\AuthenticationException::class, 'invalid_api_key', 401, fn () => $till->verifications->get($own->id));
tell(['did' => 'devices']);
$usage = $client->usage();
check($usage->verificationsCreated === 7 && $usage->remaining === $usage->dailyQuota - 7, $usage);
check($client->templates()->environment === 'test');
tell(['did' => 'usage']);

// Refusals.
$stranger = new Client($url, 'vk_test_' . str_repeat('0', 38));
refused(Exception\AuthenticationException::class, 'invalid_api_key', 401, fn () => $stranger->usage());
refused(Exception\NotFoundException::class, 'session_not_found', 404, fn () => $client->verifications->get('ver_unknown'));
$create = fn (NewVerification $request) => fn () => $client->verifications->create($request);
refused(Exception\InvalidRequestException::class, 'unknown_template', 422, $create(new NewVerification(template: 'no_such')));
refused(Exception\InvalidRequestException::class, 'invalid_request', 400, $create(new NewVerification('age_over_18', ttlSeconds: 1)));
$poor = new Client($url, (string) getenv('VIDIMUS_POOR_API_KEY'));
$spent = refused(Exception\QuotaExceededException::class, 'quota_exceeded', 429, fn () => $poor->verifications->create($age));
check($spent->retryAfter > 3600, $spent->retryAfter);
tell(['did' => 'refusals']);

// Too many polls are refused; a client that waits for as long as the service asks succeeds.
$impatient = new Client($url, $key, retries: 0);
$limited = refused(Exception\RateLimitException::class, 'rate_limit_exceeded', 429, static function () use ($impatient, $result): void {
    for ($polls = 0; $polls <= (int) getenv('VIDIMUS_POLLS'); $polls++) {
        $impatient->verifications->status($result->id);
    }
});
check($limited->retryAfter >= 1, $limited->retryAfter);
$waits = [];
$patient = new Client($url, $key, sleep: static function (float $seconds) use (&$waits): void {
    $waits[] = $seconds;
    ask('advance', ['seconds' => $seconds]);
});
check($patient->verifications->status($result->id)->status === Status::Completed);
check(count($waits) === 1 && $waits[0] >= 1, $waits);
tell(['did' => 'retry-after']);

// Sends nothing to a server whose certificate is untrusted or names another host.
$usageAt = static fn (string $name) => static fn () => (new Client((string) getenv($name), $key, retries: 0))->usage();
refused(Exception\AuthenticationException::class, 'invalid_api_key', 401, $usageAt('VIDIMUS_TRUSTED_URL'));
foreach (['VIDIMUS_UNTRUSTED_URL', 'VIDIMUS_MISNAMED_URL'] as $name) {
    try {
        $usageAt($name)();
        check(false, "{$name} was trusted");
    } catch (Exception\ConnectionException $error) {
        check(str_contains($error->getMessage(), 'SSL'), $error->getMessage());
    }
}
tell(['did' => 'tls']);

// Webhooks, received on a socket of our own.
$server = stream_socket_server('tcp://127.0.0.1:0') ?: throw new \RuntimeException('cannot listen');
$hook = 'http://' . stream_socket_get_name($server, false) . '/hook';
/** @return array{string, ?string} the body and the signature of the next request */
$receive = static function () use ($server): array {
    $connection = stream_socket_accept($server, 60);
    $headers = [];
    while (($line = trim((string) fgets($connection))) !== '') {
        [$name, $value] = explode(':', $line, 2) + [1 => ''];
        $headers[strtolower($name)] = trim($value);
    }
    $body = (string) stream_get_contents($connection, (int) $headers['content-length']);
    fwrite($connection, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
    fclose($connection);
    return [$body, $headers['x-service-signature'] ?? null];
};
/** @return array{Verification, string, ?string, int} */
$answered = static function (string $scenario) use ($client, $hook, $receive): array {
    $created = $client->verifications->create(new NewVerification(template: 'age_over_18', webhookUrl: $hook));
    ask('present', ['wallet_uri' => $created->walletUri, 'scenario' => $scenario]);
    // The service sends it while we listen, and reports it as delivered afterwards.
    tell(['ask' => 'deliver']);
    [$body, $header] = $receive();
    $delivery = hear();
    check($delivery['delivered'] === 1, $delivery);
    return [$client->verifications->get($created->id), $body, $header, $delivery['now']];
};
[$read, $body, $header, $now] = $answered('good');
$event = Webhook::verify($body, $header, [$secret], now: $now);
check($event->type === 'verification.completed' && $event->verification == $read, $event);
refusedWebhook('no_signature_matches', str_replace('true', 'True', $body), $header, $secret, $now);
refusedWebhook('outside_tolerance', $body, $header, $secret, $now + 301);
refusedWebhook('missing_header', $body, null, $secret, $now);
[$declined, $otherBody, $otherHeader, $now] = $answered('declined');
check(Webhook::verify($otherBody, $otherHeader, $secret, now: $now)->type === 'verification.failed');
check($declined->status === Status::Failed && $declined->error !== null && $declined->error['code'] === 'wallet_declined', $declined);
// A genuine signature with another genuine body, and a replayed request.
refusedWebhook('no_signature_matches', $otherBody, $header, $secret, $now);
refusedWebhook('outside_tolerance', $body, $header, $secret, ask('advance', ['seconds' => 3600])['now']);
tell(['did' => 'webhook']);
$fresh = ask('rotate')['secret'];
[, $body, $header, $now] = $answered('good');
check(substr_count((string) $header, 'v1=') === 2, $header);
foreach ([[$fresh], [$secret], [$fresh, $secret]] as $secrets) {
    check(Webhook::verify($body, $header, $secrets, now: $now)->isKnown());
}
tell(['did' => 'rotation']);

check($client->verifications->erase($result->id)->deleted['verification_sessions'] === 1);
refused(Exception\NotFoundException::class, 'session_not_found', 404, fn () => $client->verifications->get($result->id));
tell(['did' => 'erase']);
