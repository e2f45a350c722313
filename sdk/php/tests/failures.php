<?php

// Tests how failures are reported.

declare(strict_types=1);

namespace Vidimus\Tests;

use Vidimus\Client;
use Vidimus\ErrorCode;
use Vidimus\Exception;
use Vidimus\Status;

$key = 'vk_test_' . str_repeat('k', 38);
$service = new ScriptedService();
$client = static fn (string $url = '', int $retries = 0, float $timeout = 30): Client => new Client($url ?: $service->url, $key, $timeout, $retries);
$get = static fn () => $client()->verifications->get('ver_1');

return [
    'every refusal has its class, and names the request' => static function () use ($service, $client): void {
        foreach ([
            [400, 'invalid_request', Exception\InvalidRequestException::class],
            [401, 'invalid_api_key', Exception\AuthenticationException::class],
            [403, 'insufficient_scope', Exception\PermissionDeniedException::class],
            [404, 'session_not_found', Exception\NotFoundException::class],
            [409, 'session_already_responded', Exception\ConflictException::class],
            [422, 'unknown_template', Exception\InvalidRequestException::class],
            [429, 'rate_limit_exceeded', Exception\RateLimitException::class],
            [429, 'quota_exceeded', Exception\QuotaExceededException::class],
            [500, 'internal_error', Exception\ServerException::class],
            [503, 'unavailable', Exception\ServerException::class],
            [418, 'a_code_of_later', Exception\VidimusException::class],
        ] as [$status, $code, $class]) {
            $service->script(ScriptedService::refused($status, $code, ['Request-Id' => 'req_1', 'Retry-After' => '9']));
            $error = thrown($class, fn () => $client()->usage());
            same([$code, $status, 'req_1', 9], [$error->errorCode, $error->status, $error->requestId, $error->retryAfter]);
            same($status === 418 ? null : ErrorCode::from($code), $error->knownCode());
        }
        $service->requests();
    },
    'reports a timeout if the service does not answer in time' => static function () use ($service, $client): void {
        $service->script(['silent' => true]);
        thrown(Exception\TimeoutException::class, fn () => $client(timeout: 0.2)->usage());
        $service->requests();
    },
    'reports that the service cannot be reached' => static function () use ($client): void {
        $gone = stream_socket_server('tcp://127.0.0.1:0');
        $name = stream_socket_get_name($gone, false);
        fclose($gone);
        $error = thrown(Exception\ConnectionException::class, fn () => $client("http://{$name}")->usage());
        same(['connection_failed', null], [$error->errorCode, $error->status]);
    },
    'does not follow a redirect' => static function () use ($service, $client): void {
        $service->script(['status' => 302, 'text' => '', 'headers' => ['Location' => "{$service->url}/elsewhere"]]);
        same(302, thrown(Exception\UnexpectedAnswerException::class, fn () => $client()->usage())->status);
        same(1, count($service->requests()));
    },
    'refuses answers that are not from the service' => static function () use ($service, $get): void {
        foreach ([
            ['status' => 200, 'text' => '<html>'],
            ['status' => 200, 'text' => '[]'],
            ['status' => 200, 'text' => '{}'],
            ['status' => 200, 'body' => ScriptedService::verification(['id' => null])],
            ['status' => 200, 'body' => ScriptedService::verification(['id' => 7])],
            ['status' => 200, 'body' => ScriptedService::verification(['claims' => [1]])],
            ['status' => 404, 'text' => '<html>'],
            ['status' => 404, 'body' => ['error' => ['code' => 1, 'message' => 'x']]],
        ] as $answer) {
            $service->script($answer);
            thrown(Exception\UnexpectedAnswerException::class, $get);
        }
        $service->requests();
    },
    'accepts members and values of newer services' => static function () use ($service, $get): void {
        $credential = ['format' => 'jwt_of_later', 'doctype_or_vct' => 'x', 'claims' => new \stdClass(), 'issuer' => ['later' => 1], 'findings' => []];
        $change = ['status' => 'reviewing', 'later' => ['a' => [1]], 'credentials' => [$credential]];
        $service->script(['status' => 200, 'body' => ScriptedService::verification($change)]);
        $read = $get();
        same([Status::Unknown, 'reviewing', ['a' => [1]]], [$read->status, $read->statusName, $read->raw['later']]);
        same(false, $read->credentials[0]->trusted);
        $service->requests();
    },
    'wrong options throw immediately, without showing the key' => static function () use ($key): void {
        foreach (['', 'vk_', 'sk_live_abc', "{$key}\n", " {$key}"] as $bad) {
            $error = thrown(\InvalidArgumentException::class, fn () => new Client('https://x', $bad));
            same(false, str_contains($error->getMessage(), $key));
        }
        foreach (['', 'verify.example.com', 'ftp://x', 'https://user:pass@x', 'https://x/?a=b', 'https://x#y', "https://x\n", 'http://'] as $url) {
            thrown(\InvalidArgumentException::class, fn () => new Client($url, $key));
        }
        foreach ([['timeout' => 0], ['retries' => -1], ['longestWait' => NAN]] as $option) {
            thrown(\InvalidArgumentException::class, fn () => new Client('https://x', $key, ...$option));
        }
    },
    'neither client nor errors show the key' => static function () use ($service, $client, $key): void {
        $one = $client();
        $shown = [print_r($one, true), print_r($one->verifications, true)];
        $service->script(['broken' => true]);
        $code = str_repeat('c', 43);
        $error = thrown(Exception\ConnectionException::class, fn () => $one->verifications->redeem('ver_1', $code));
        $shown[] = $error->getMessage();
        foreach ($shown as $text) {
            same(false, str_contains($text, $key) || str_contains($text, $code), $text);
        }
        thrown(\LogicException::class, fn () => serialize($one));
        $service->requests();
    },
];
