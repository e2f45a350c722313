<?php

declare(strict_types=1);

namespace Vidimus;

use Vidimus\Exception\ConnectionException;
use Vidimus\Exception\TimeoutException;
use Vidimus\Exception\UnexpectedAnswerException;
use Vidimus\Exception\VidimusException;
use Vidimus\Model\MalformedAnswer;

/** Sends one call and retries it if that is safe. It has the key and never shows it. @internal */
final class Transport
{
    private ?\CurlHandle $curl = null;

    /**
     * @param \Closure(float): void $sleep seconds
     * @param \Closure(): float $clock seconds since any point
     */
    public function __construct(
        public readonly string $baseUrl,
        #[\SensitiveParameter] private readonly string $apiKey,
        private readonly float $timeout,
        private readonly int $retries,
        private readonly float $longestWait,
        public readonly \Closure $sleep,
        public readonly \Closure $clock,
    ) {
    }

    /** @return array<string, string> */
    public function __debugInfo(): array
    {
        return ['baseUrl' => $this->baseUrl];
    }

    /** @return never */
    public function __serialize(): array
    {
        throw new \LogicException('a client has a key and must not be serialised');
    }

    /**
     * @template T
     * @param callable(mixed): T $read
     * @param bool $repeatable doing it twice is doing it once
     * @param array<string, mixed>|null $body
     * @param array<string, string|int|null> $query
     * @param bool $anonymous sent without the key
     * @param bool $asText the answer is not JSON; `$read` gets it unchanged
     * @return T
     */
    public function send(
        string $method,
        string $path,
        callable $read,
        bool $repeatable,
        ?array $body = null,
        array $query = [],
        ?string $idempotencyKey = null,
        bool $anonymous = false,
        bool $asText = false,
    ): mixed {
        $accept = $asText ? '*/*' : 'application/json';
        $headers = ["Accept: {$accept}", 'User-Agent: vidimus-php/0.1.0', 'Expect:'];
        if (!$anonymous) {
            $headers[] = "Authorization: Bearer {$this->apiKey}";
        }
        if ($idempotencyKey !== null) {
            $headers[] = "Idempotency-Key: {$idempotencyKey}";
        }
        // An explicit empty type: otherwise curl would declare a form.
        $headers[] = $body === null ? 'Content-Type:' : 'Content-Type: application/json';
        $flags = JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_PRESERVE_ZERO_FRACTION;
        $text = $body === null ? null : json_encode($body, $flags);
        $given = http_build_query($query, '', '&', PHP_QUERY_RFC3986);
        $url = $this->baseUrl . $path . ($given === '' ? '' : "?{$given}");
        for ($attempt = 1; ; $attempt++) {
            try {
                return $this->attempt($method, $url, $headers, $text, $repeatable, $read, $asText);
            } catch (VidimusException $error) {
                $chance = random_int(0, 2 ** 31 - 1) / 2 ** 31;
                $wait = Retry::wait($error, $attempt, $repeatable, $this->retries, $this->longestWait, $chance);
                if ($wait === null) {
                    throw $error;
                }
            }
            ($this->sleep)($wait);
        }
    }

    /** @param list<string> $headers */
    private function attempt(
        string $method,
        string $url,
        array $headers,
        ?string $body,
        bool $repeatable,
        callable $read,
        bool $asText,
    ): mixed {
        $curl = $this->curl ??= curl_init();
        // Between calls, the handle keeps only its connection.
        curl_reset($curl);
        $received = [];
        curl_setopt_array($curl, [
            CURLOPT_URL => $url,
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_HTTPHEADER => $headers,
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
            CURLOPT_PATH_AS_IS => true,
            // Following a redirect would send the key to another server.
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_TIMEOUT_MS => (int) ceil($this->timeout * 1000),
            CURLOPT_NOSIGNAL => true,
            // By default curl resends a request that got no answer on a reused connection.
            CURLOPT_FRESH_CONNECT => !$repeatable,
            CURLOPT_HEADERFUNCTION => static function ($_, string $line) use (&$received): int {
                [$name, $value] = explode(':', $line, 2) + [1 => ''];
                $received[strtolower(trim($name))] = trim($value);
                return strlen($line);
            },
        ]);
        if ($method === 'POST') {
            curl_setopt($curl, CURLOPT_POSTFIELDS, $body ?? '');
        }
        $text = curl_exec($curl);
        if (!is_string($text)) {
            throw $this->connectionError(curl_errno($curl));
        }
        return self::readAnswer(curl_getinfo($curl, CURLINFO_RESPONSE_CODE), $received, $text, $read, $asText);
    }

    /** Uses only the name of curl's error, because its text may contain the request. */
    private function connectionError(int $number): VidimusException
    {
        if ($number === CURLE_OPERATION_TIMEDOUT) {
            return new TimeoutException(ErrorCode::Timeout->value, "No answer within {$this->timeout} seconds.");
        }
        $reason = curl_strerror($number) ?? 'unknown';
        return new ConnectionException(ErrorCode::ConnectionFailed->value, "The service was not reached ({$reason}).");
    }

    /** @param array<string, string> $headers */
    private static function readAnswer(int $status, array $headers, string $text, callable $read, bool $asText): mixed
    {
        $requestId = $headers['request-id'] ?? null;
        $retryAfter = preg_match('/\A[0-9]{1,9}\z/', $headers['retry-after'] ?? '') === 1 ? (int) $headers['retry-after'] : null;
        $body = json_decode($text, true, 512, JSON_BIGINT_AS_STRING);
        $good = $status >= 200 && $status < 300;
        if ($good && ($asText || is_array($body))) {
            try {
                return $read($asText ? $text : $body);
            } catch (MalformedAnswer) {
                // Not an answer of the service.
            }
        }
        $error = is_array($body) ? ($body['error'] ?? null) : null;
        if (!$good && is_array($error) && is_string($error['code'] ?? null) && is_string($error['message'] ?? null)) {
            throw VidimusException::refusal($error['code'], $error['message'], $status, $requestId, $retryAfter);
        }
        throw new UnexpectedAnswerException(
            ErrorCode::UnexpectedAnswer->value,
            "The answer (HTTP {$status}) is not one of the service's. Is the base address right?",
            $status,
            $requestId,
            $retryAfter,
        );
    }
}
