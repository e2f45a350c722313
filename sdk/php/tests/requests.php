<?php

// Which requests are sent, and how often.

declare(strict_types=1);

namespace Vidimus\Tests;

use Vidimus\Client;
use Vidimus\Exception\ConnectionException;
use Vidimus\Exception\NotFoundException;
use Vidimus\Exception\TimeoutException;
use Vidimus\Exception\UnexpectedAnswerException;
use Vidimus\NewVerification;
use Vidimus\Status;

$key = 'vk_test_' . str_repeat('k', 38);
$service = new ScriptedService();
$verification = ScriptedService::verification(...);
$refused = ScriptedService::refused(...);
$waits = [];
$now = 0.0;
$client = static function (int $retries = 3) use ($service, $key, &$waits, &$now): Client {
    $waits = [];
    $now = 0.0;
    $sleep = static function (float $seconds) use (&$waits, &$now): void {
        $waits[] = $seconds;
        $now += $seconds;
    };
    return new Client($service->url, $key, retries: $retries, sleep: $sleep, clock: static function () use (&$now): float {
        return $now;
    });
};
$ok = static fn (array $body): array => ['status' => 200, 'body' => $body];

return [
    'sends the passed members and no others' => static function () use ($service, $client, $key, $ok, $verification): void {
        $service->script($ok($verification(['wallet_uri' => 'openid4vp://x'])));
        $request = new NewVerification(template: 'age_over_18', purpose: 'Grüße', metadata: ['1' => 'a'], browserBinding: 'none');
        same('openid4vp://x', $client()->verifications->create($request, 'order-17')->walletUri);
        [$sent] = $service->requests();
        same(['POST', '/v1/verifications'], [$sent['method'], $sent['path']]);
        $given = ['template' => 'age_over_18', 'purpose' => 'Grüße', 'metadata' => ['1' => 'a'], 'browser_binding' => 'none'];
        same($given, $sent['body']);
        same("Bearer {$key}", $sent['headers']['authorization']);
        same(['order-17', 'application/json'], [$sent['headers']['idempotency-key'], $sent['headers']['content-type']]);
        same('{"metadata":{"0":"a"}}', json_encode(array_slice((new NewVerification('a', metadata: ['a']))->body(), 1)));
    },
    'does not send the key where the route needs none' => static function () use ($service, $client, $ok): void {
        $device = ['id' => 'd', 'name' => 'Till', 'status' => 'active', 'allowed_templates' => ['a'], 'created_at' => 'x'];
        $pair = ['access_token' => 'vd_1', 'refresh_token' => 'vdr_1', 'token_type' => 'Bearer', 'expires_in' => 9];
        $pair += ['refresh_expires_in' => 9, 'device' => $device];
        $service->script($ok(['id' => 'ver_1', 'status' => 'pending']), $ok($pair), $ok($pair));
        $client()->verifications->status('ver_1');
        same('Till', $client()->devices->enroll('VD-AAAA-AAAA')->device->name);
        same(false, str_contains(print_r($client()->devices->refresh('vdr_0'), true), 'vdr_1'));
        foreach ($service->requests() as $request) {
            same(false, isset($request['headers']['authorization']), $request['path']);
        }
    },
    'escapes ids, and refuses ids that would lead to another route' => static function () use ($service, $client, $refused): void {
        foreach (['', '.', '..'] as $bad) {
            thrown(\InvalidArgumentException::class, fn () => $client()->verifications->get($bad));
            thrown(\InvalidArgumentException::class, fn () => $client()->verifications->erase($bad));
            thrown(\InvalidArgumentException::class, fn () => $client()->devices->revoke($bad));
        }
        $service->script($refused(404, 'session_not_found'));
        thrown(NotFoundException::class, fn () => $client()->verifications->get('../usage?a=b#c'));
        same('/v1/verifications/..%2Fusage%3Fa%3Db%23c', $service->requests()[0]['path']);
        same("{$service->url}/verify/ver_1%2Fx", $client()->verifications->hostedUrl('ver_1/x'));
    },
    'requires exactly one of template and query, and an idempotency key that can be sent' => static function () use ($client): void {
        thrown(\InvalidArgumentException::class, fn () => new NewVerification());
        thrown(\InvalidArgumentException::class, fn () => new NewVerification(template: 'a', query: ['credentials' => []]));
        foreach (['', 'a b', "a\nb", 'ä', str_repeat('x', 256)] as $bad) {
            thrown(\InvalidArgumentException::class, fn () => $client()->verifications->create(new NewVerification('a'), $bad));
        }
    },
    'iterates over all pages' => static function () use ($service, $client, $ok, $verification): void {
        $page = static fn (string ...$ids): array => ['data' => array_map(fn ($id) => $verification(['id' => $id, 'created_at' => $id]), $ids)];
        $service->script($ok($page('3', '2')), $ok($page('1')));
        $seen = [];
        foreach ($client()->verifications->all(pageSize: 2) as $index => $one) {
            $seen[$index] = $one->id;
        }
        same(['3', '2', '1'], $seen);
        same(['/v1/verifications?limit=2', '/v1/verifications?limit=2&before=2'], array_column($service->requests(), 'path'));
        $service->script($ok(['data' => []]));
        same([], iterator_to_array($client()->verifications->all()));
        $service->requests();
        $pending = array_map(fn ($id) => $verification(['id' => $id, 'created_at' => $id, 'status' => 'pending']), ['3', '2']);
        $expired = $verification(['id' => '1', 'created_at' => '1', 'status' => 'expired']);
        $service->script($ok(['data' => $pending]), $ok(['data' => [$expired]]));
        $found = iterator_to_array($client()->verifications->all(pageSize: 2, status: 'expired'), false);
        same(['1'], array_map(fn ($one) => $one->id, $found));
        $service->requests();
    },
    'retries a creation with the same idempotency key' => static function () use ($service, $client, $ok, $verification, $refused, &$waits): void {
        $service->script(['broken' => true], $refused(503, 'unavailable', ['Retry-After' => '2']), $ok($verification()));
        $client()->verifications->create(new NewVerification('a'));
        $keys = array_column(array_column($service->requests(), 'headers'), 'idempotency-key');
        same([3, 1], [count($keys), count(array_unique($keys))]);
        same(true, $waits[0] >= 0.125 && $waits[0] <= 0.25 && $waits[1] >= 2 && $waits[1] <= 2.25, json_encode($waits));
        $service->script($ok($verification()), $ok($verification()));
        $client()->verifications->create(new NewVerification('a'));
        $client()->verifications->create(new NewVerification('a'));
        $keys = array_column(array_column($service->requests(), 'headers'), 'idempotency-key');
        same(2, count(array_unique($keys)));
    },
    'retries a read after an incomplete answer' => static function () use ($service, $client, $ok, $verification): void {
        $service->script(['missing' => 1] + $ok($verification()), $ok($verification()));
        same('ver_1', $client()->verifications->get('ver_1')->id);
        $service->requests();
    },
    'does not retry calls that are not idempotent' => static function () use ($service, $client): void {
        foreach ([
            fn () => $client()->verifications->redeem('ver_1', str_repeat('c', 43)),
            fn () => $client()->devices->enroll('VD-AAAA-AAAA'),
            fn () => $client()->devices->refresh('vdr_x'),
            fn () => $client()->devices->register('Till', ['a']),
        ] as $act) {
            $service->script(['broken' => true]);
            same(null, thrown(ConnectionException::class, $act)->status);
            // A second request would wait forever: no answer is scripted for it.
            same(1, count($service->requests()));
        }
    },
    'keeps curl from repeating such a call on a kept connection that broke' => static function () use ($service, $client, $ok, $verification): void {
        $one = $client();
        $service->script(['keep' => true] + $ok($verification()), ['broken' => true], $ok($verification()));
        $one->verifications->get('ver_1');
        thrown(ConnectionException::class, fn () => $one->verifications->redeem('ver_1', str_repeat('c', 43)));
        // The third scripted answer is still unused.
        same('ver_1', $one->verifications->get('ver_1')->id);
        $paths = array_column($service->requests(), 'path');
        same(['/v1/verifications/ver_1', '/v1/verifications/ver_1/redeem', '/v1/verifications/ver_1'], $paths);
    },
    'gives up after the last attempt' => static function () use ($service, $client): void {
        $service->script(...array_fill(0, 4, ['status' => 502, 'text' => '<h1>Bad gateway</h1>']));
        same(502, thrown(UnexpectedAnswerException::class, fn () => $client()->usage())->status);
        $service->requests();
    },
    'polls with growing pauses, and reads once at the end' => static function () use ($service, $client, $ok, $verification, &$waits): void {
        $pending = array_fill(0, 10, $ok(['id' => 'ver_1', 'status' => 'pending']));
        $later = ['status' => 'a_state_of_later'];
        $service->script(...$pending, ...[$ok(['id' => 'ver_1'] + $later), $ok($verification($later))]);
        $result = $client()->verifications->waitForResult('ver_1');
        same([Status::Unknown, 'a_state_of_later'], [$result->status, $result->statusName]);
        same([1.0, 1.25, 1.5625], array_slice($waits, 0, 3));
        same(5.0, max($waits));
        same('/v1/verifications/ver_1', $service->requests()[11]['path']);
    },
    'continues to wait while the network is unavailable or the service limits it' => static function () use ($service, $client, $ok, $verification, $refused, &$waits): void {
        $busy = $refused(429, 'rate_limit_exceeded', ['Retry-After' => '20']);
        $done = ['status' => 'completed'];
        $service->script(['broken' => true], $busy, $ok(['id' => 'ver_1'] + $done), $ok($verification($done)));
        same(Status::Completed, $client(retries: 0)->verifications->waitForResult('ver_1')->status);
        same([1.0, 20.0], $waits);
        $service->requests();
    },
    'stops waiting at its timeout, and for an unknown verification' => static function () use ($service, $client, $ok, $refused, &$now): void {
        $service->script(...array_fill(0, 6, $ok(['id' => 'ver_1', 'status' => 'pending'])));
        thrown(TimeoutException::class, fn () => $client()->verifications->waitForResult('ver_1', timeout: 10));
        same(true, $now <= 10.0);
        $service->requests();
        $service->script($refused(404, 'session_not_found'));
        thrown(NotFoundException::class, fn () => $client()->verifications->waitForResult('ver_1'));
        $service->requests();
    },
];
