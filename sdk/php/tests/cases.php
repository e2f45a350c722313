<?php

// The cases that all languages share: sdk/cases.

declare(strict_types=1);

namespace Vidimus\Tests;

use Vidimus\Exception\ResultException;
use Vidimus\Exception\VidimusException;
use Vidimus\Exception\WebhookVerificationException;
use Vidimus\Model\Verification;
use Vidimus\Result;
use Vidimus\Retry;
use Vidimus\Webhook;

$load = static function (string $name): array {
    $cases = json_decode((string) file_get_contents(__DIR__ . "/../../cases/{$name}"), true, flags: JSON_THROW_ON_ERROR);
    same(true, count($cases) > 20, $name);
    return $cases;
};
$outcome = static function (array $case): array {
    try {
        $options = isset($case['tolerance']) ? ['tolerance' => $case['tolerance']] : [];
        $body = (string) base64_decode($case['body'], true);
        $event = Webhook::verify($body, $case['header'], $case['secrets'], ...$options, now: $case['now']);
    } catch (WebhookVerificationException $error) {
        return ['code' => $error->fault->value];
    }
    if ($event->verification === null) {
        same(false, $event->isKnown());
        return ['type' => $event->type, 'id' => null];
    }
    return ['type' => $event->type, 'id' => $event->verification->id, 'status' => $event->verification->statusName];
};

return [
    'every webhook' => static function () use ($load, $outcome): void {
        foreach ($load('webhooks.json') as $case) {
            $expected = $case['expect'];
            $actual = $outcome($case);
            ksort($expected);
            ksort($actual);
            same($expected, $actual, $case['name']);
        }
    },
    'opens every encrypted result as expected' => static function () use ($load): void {
        foreach ($load('results.json') as $case) {
            try {
                $opened = Result::open(Verification::read($case['verification']), $case['keys'], $case['accept_clear'] ?? false);
                $actual = ['claims' => $opened->claims, 'credentials' => array_map(static fn ($one) => $one->claims, $opened->credentials)];
            } catch (ResultException $error) {
                $actual = ['code' => $error->fault->value];
            }
            same($case['expect'], $actual, $case['name']);
        }
    },
    'accepts a single key, and refuses an event without a verification' => static function () use ($load): void {
        $case = $load('results.json')[0];
        same($case['expect']['claims'], Result::open(Verification::read($case['verification']), $case['keys'][0])->claims);
        thrown(ResultException::class, fn () => Result::open(null, $case['keys']));
    },
    'every retry' => static function () use ($load): void {
        foreach ($load('retries.json') as ['name' => $name, 'error' => $given, 'call' => $call, 'terms' => $terms, 'expect' => $expect]) {
            $error = new VidimusException($given['code'], 'no', $given['status'], null, $given['retry_after']);
            foreach ([0.0, 0.5, 0.999999] as $chance) {
                $wait = Retry::wait($error, $call['attempt'], $call['repeatable'], $terms['retries'], $terms['longest_wait'], $chance);
                $fits = $expect === null ? $wait === null : $wait !== null && $wait >= $expect['least'] && $wait <= $expect['most'];
                same(true, $fits, "{$name}: {$wait}");
            }
        }
    },
    'signs like the service' => static function () use ($load): void {
        $case = $load('webhooks.json')[0];
        same($case['header'], Webhook::sign((string) base64_decode($case['body'], true), $case['secrets'], $case['now']));
    },
    'accepts a single secret, and uses the clock of the machine by default' => static function () use ($load): void {
        $body = (string) base64_decode($load('webhooks.json')[0]['body'], true);
        $secret = 'whsec_' . str_repeat('x', 43);
        same('verification.completed', Webhook::verify($body, Webhook::sign($body, $secret), $secret)->type);
        thrown(\InvalidArgumentException::class, fn () => Webhook::verify($body, Webhook::sign($body, $secret), $secret, -1));
        thrown(WebhookVerificationException::class, fn () => Webhook::verify($body, Webhook::sign($body, $secret), [getenv('NOT_SET_HERE')]));
    },
];
