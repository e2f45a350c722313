<?php

declare(strict_types=1);

namespace Vidimus;

use Vidimus\Exception\WebhookVerificationException;
use Vidimus\Model\MalformedAnswer;
use Vidimus\Model\Verification;

/** Verifies that a webhook is genuine, recent and unchanged (interface specification part 6). */
final class Webhook
{
    // event types, written by "node tools/generate-event-types.ts"
    /** The types that this version knows. Other events have only their payload. */
    private const TYPES = [
        'verification.completed',
        'verification.failed',
    ];
    // end of event types

    /**
     * The event, if one of the secrets signed exactly these bytes within the tolerance.
     *
     * A replayed request passes within the tolerance: act once on each type and verification id.
     * `X-Service-Delivery` is not signed.
     *
     * @param string $rawBody the raw body: `file_get_contents('php://input')`
     * @param string|null $header of the name `X-Service-Signature`: `$_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? null`
     * @param string|list<string|null|false> $secrets all your valid secrets: during a rotation both sign
     * @param int $tolerance the largest difference between the time of the signature and now, in seconds
     * @param int|null $now seconds since the epoch; null: the system clock
     * @throws WebhookVerificationException
     */
    public static function verify(
        string $rawBody,
        ?string $header,
        #[\SensitiveParameter] string|array $secrets,
        int $tolerance = 300,
        ?int $now = null,
    ): WebhookEvent {
        $keys = self::checkSecrets($secrets);
        [$timestamp, $candidates] = self::parseHeader($header);
        self::checkTime($timestamp, $tolerance, $now ?? time());
        // Compares every signature in constant time, and does not stop at a match.
        $matches = 0;
        foreach ($keys as $key) {
            $wanted = self::signature($key, $timestamp, $rawBody);
            foreach ($candidates as $candidate) {
                $matches |= (int) hash_equals($wanted, $candidate);
            }
        }
        if ($matches !== 1) {
            throw new WebhookVerificationException(
                WebhookFault::NoSignatureMatches,
                'No signature matches. Either the secret is another one (of the other environment, or rotated more than '
                . '24 hours ago), or the body is not the raw body: pass the bytes as received, before any JSON parser has '
                . 'parsed and rewritten them.',
            );
        }
        return self::parsePayload($rawBody);
    }

    /**
     * Signs like the service, for your tests. Pass several secrets newest first, as during a rotation.
     *
     * @param string|list<string> $secrets
     */
    public static function sign(string $rawBody, #[\SensitiveParameter] string|array $secrets, ?int $now = null): string
    {
        $timestamp = (string) ($now ?? time());
        $sign = static fn (string $key): string => 'v1=' . self::signature($key, $timestamp, $rawBody);
        return implode(',', ["t={$timestamp}", ...array_map($sign, self::checkSecrets($secrets))]);
    }

    /**
     * An unset variable must not become an empty key: anyone could sign with it.
     *
     * @return list<string>
     */
    private static function checkSecrets(#[\SensitiveParameter] string|array $secrets): array
    {
        $given = is_string($secrets) ? [$secrets] : array_values($secrets);
        if ($given === []) {
            throw new WebhookVerificationException(WebhookFault::InvalidSecret, 'No secret was given.');
        }
        foreach ($given as $secret) {
            if (!is_string($secret) || preg_match('/\Awhsec_[\x21-\x7e]+\z/', $secret) !== 1) {
                throw new WebhookVerificationException(
                    WebhookFault::InvalidSecret,
                    'A webhook secret begins with "whsec_" and contains no white space. Is the variable set, and without a '
                    . 'line end?',
                );
            }
        }
        return $given;
    }

    /**
     * Elements other than `t` and `v1` are ignored: later versions may add some.
     *
     * @return array{string, list<string>}
     */
    private static function parseHeader(?string $header): array
    {
        if ($header === null || $header === '') {
            throw new WebhookVerificationException(
                WebhookFault::MissingHeader,
                'The header X-Service-Signature is missing.',
            );
        }
        $timestamps = [];
        $signatures = [];
        foreach (explode(',', $header) as $element) {
            $element = trim($element, " \t");
            if (str_starts_with($element, 't=')) {
                $timestamps[] = substr($element, 2);
            } elseif (str_starts_with($element, 'v1=')) {
                $signatures[] = substr($element, 3);
            }
        }
        $why = match (true) {
            $timestamps === [] => 'it has no t',
            count($timestamps) > 1 => 'it has more than one t',
            preg_match('/\A(?:0|[1-9][0-9]{0,14})\z/', $timestamps[0]) !== 1 => 't is not a number of seconds',
            $signatures === [] => 'it has no v1',
            default => null,
        };
        if ($why !== null) {
            throw new WebhookVerificationException(
                WebhookFault::MalformedHeader,
                "The header X-Service-Signature is malformed: {$why}. "
                . 'It looks like "t=1700000000,v1=<64 hexadecimal digits>".',
            );
        }
        return [$timestamps[0], $signatures];
    }

    /** Checks both directions: with a time far in the future, a signature would stay valid for long. */
    private static function checkTime(string $timestamp, int $tolerance, int $now): void
    {
        if ($tolerance < 0) {
            throw new \InvalidArgumentException('the tolerance must be a number of seconds, 0 or more');
        }
        $signed = (int) $timestamp;
        $apart = abs($now - $signed);
        if ($apart > $tolerance) {
            $direction = $signed < $now ? 'ago' : 'ahead';
            throw new WebhookVerificationException(
                WebhookFault::OutsideTolerance,
                "The signature was made at t={$signed}, and it is now {$now}: {$apart} seconds {$direction}, and "
                . "{$tolerance} are tolerated. Is the clock of this machine right? If so, this may be a "
                . 'replayed request.',
            );
        }
    }

    /** Lower-case hex HMAC-SHA256 over `<t>.` and the body; the key is the whole secret, prefix included. */
    private static function signature(#[\SensitiveParameter] string $secret, string $timestamp, string $body): string
    {
        return hash_hmac('sha256', "{$timestamp}.{$body}", $secret);
    }

    private static function parsePayload(string $body): WebhookEvent
    {
        $payload = json_decode($body, true, 512, JSON_BIGINT_AS_STRING);
        $type = is_array($payload) ? ($payload['type'] ?? null) : null;
        if (!is_string($type) || $type === '') {
            throw self::noEvent();
        }
        $sentAt = is_string($payload['sent_at'] ?? null) ? $payload['sent_at'] : null;
        if (!in_array($type, self::TYPES, true)) {
            return new WebhookEvent($type, null, $sentAt, $payload);
        }
        if ($sentAt === null) {
            throw self::noEvent();
        }
        try {
            return new WebhookEvent($type, Verification::read($payload['verification'] ?? null), $sentAt, $payload);
        } catch (MalformedAnswer) {
            throw self::noEvent();
        }
    }

    private static function noEvent(): WebhookVerificationException
    {
        return new WebhookVerificationException(
            WebhookFault::MalformedPayload,
            'The signature is right, but the body is not an event.',
        );
    }
}
