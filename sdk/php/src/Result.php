<?php

declare(strict_types=1);

namespace Vidimus;

use Vidimus\Exception\ResultException;
use Vidimus\Model\Verification;

/** Opens results that are encrypted to you, with your private key. Needs the extension openssl. */
final class Result
{
    /** RFC 5480: a public key on P-256, without its point. */
    private const PUBLIC_KEY = '3059301306072a8648ce3d020106082a8648ce3d030107034200';
    /** RFC 5915: a private key on P-256, around its number and before its point. */
    private const PRIVATE_KEY = ['30770201010420', 'a00a06082a8648ce3d030107a144034200'];

    private function __construct()
    {
    }

    /**
     * Decrypts the claims of a verification and of its credentials. A verification without claims (pending, failed,
     * forgotten) is returned unchanged.
     *
     * @param Verification|null $verification from `get`, `redeem` or `Webhook::verify`
     * @param array<string, mixed>|list<array<string, mixed>> $keys your private key as a JWK on P-256, or all of them
     *        while you replace one: the result names the key that it is encrypted to
     * @param bool $acceptClear accepts results that are not encrypted, for those from before you registered a key
     * @throws ResultException
     */
    public static function open(
        ?Verification $verification,
        #[\SensitiveParameter] array $keys,
        bool $acceptClear = false,
    ): Verification {
        if ($verification === null) {
            throw self::damaged('there is no verification');
        }
        $claims = $verification->claims;
        if (!array_key_exists('$jwe', $claims)) {
            if ($acceptClear || !self::hasClaims($verification)) {
                return $verification;
            }
            throw new ResultException(
                ResultFault::NotEncrypted,
                'The result is not encrypted, and the caller expects one that is.',
            );
        }
        if (!is_string($claims['$jwe']) || count($claims) !== 1) {
            throw self::damaged('claims holds more than a JWE');
        }
        if ($verification->status !== Status::Completed) {
            throw self::damaged('the verification is not completed');
        }
        $given = array_is_list($keys) ? $keys : [$keys];
        $content = self::readContent(self::decrypt($claims['$jwe'], $given, $verification->id));
        $raw = ['claims' => $content['claims']] + $verification->raw;
        if (isset($raw['credentials'])) {
            if (count($raw['credentials']) !== count($content['credentials'])) {
                throw self::damaged('it has other credentials than the verification');
            }
            foreach ($content['credentials'] as $at => $credential) {
                $raw['credentials'][$at]['claims'] = $credential['claims'];
            }
        }
        return Verification::read($raw);
    }

    /** A verification without claims has nothing to protect. `claims` is empty if the answer has none. */
    private static function hasClaims(Verification $verification): bool
    {
        if (isset($verification->raw['claims'])) {
            return true;
        }
        foreach ($verification->credentials as $credential) {
            if ($credential->claims !== []) {
                return true;
            }
        }
        return false;
    }

    /**
     * Accepts only ECDH-ES (direct) with A256GCM (RFC 7518 §4.6, §5.3).
     *
     * @param list<array<string, mixed>> $keys
     */
    private static function decrypt(string $jwe, #[\SensitiveParameter] array $keys, string $audience): string
    {
        $parts = explode('.', $jwe);
        if (count($parts) !== 5 || $parts[1] !== '') {
            throw self::damaged('it is not a JWE of this service');
        }
        $header = self::readHeader($parts[0]);
        $kind = [$header['alg'] ?? null, $header['enc'] ?? null, $header['typ'] ?? null];
        $strange = array_intersect_key($header, ['crit' => 0, 'zip' => 0, 'apu' => 0]);
        if ($kind !== ['ECDH-ES', 'A256GCM', 'vidimus-result+jwe'] || $strange !== []) {
            throw self::damaged('it is not a JWE of this kind');
        }
        if (($header['apv'] ?? null) !== self::toBase64url($audience)) {
            throw self::damaged('it belongs to something else');
        }
        $key = self::keyNamed($header['kid'] ?? null, $keys);
        [$iv, $body, $tag] = array_map(self::fromBase64url(...), array_slice($parts, 2));
        if (strlen($iv) !== 12 || strlen($tag) !== 16) {
            throw self::damaged('its parts have wrong lengths');
        }
        $contentKey = self::derive(self::agree($key, $header['epk'] ?? null), $audience);
        $plain = openssl_decrypt($body, 'aes-256-gcm', $contentKey, OPENSSL_RAW_DATA, $iv, $tag, $parts[0]);
        return is_string($plain) ? $plain : throw self::damaged('it does not open with this key');
    }

    /** @param array<string, mixed> $key */
    private static function agree(#[\SensitiveParameter] array $key, mixed $epk): string
    {
        foreach ([$key, $epk] as $jwk) {
            if (!is_array($jwk) || ($jwk['kty'] ?? null) !== 'EC' || ($jwk['crv'] ?? null) !== 'P-256') {
                throw self::damaged('a key is of another kind');
            }
        }
        // OpenSSL refuses a point that is not on the curve.
        $theirs = openssl_pkey_get_public(self::pem('PUBLIC KEY', hex2bin(self::PUBLIC_KEY) . self::point($epk)));
        [$before, $after] = array_map(hex2bin(...), self::PRIVATE_KEY);
        $der = $before . self::number($key['d'] ?? null) . $after . self::point($key);
        $ours = openssl_pkey_get_private(self::pem('EC PRIVATE KEY', $der));
        $secret = $theirs === false || $ours === false ? false : openssl_pkey_derive($theirs, $ours);
        if (!is_string($secret) || strlen($secret) !== 32) {
            throw self::damaged('it does not open with this key');
        }
        return $secret;
    }

    /** @param array<string, mixed> $jwk */
    private static function point(array $jwk): string
    {
        return "\x04" . self::number($jwk['x'] ?? null) . self::number($jwk['y'] ?? null);
    }

    private static function number(#[\SensitiveParameter] mixed $text): string
    {
        $bytes = is_string($text) ? self::fromBase64url($text) : '';
        return strlen($bytes) === 32 ? $bytes : throw self::damaged('a number of a key has a wrong length');
    }

    private static function pem(string $label, #[\SensitiveParameter] string $der): string
    {
        return "-----BEGIN {$label}-----\n" . chunk_split(base64_encode($der), 64, "\n") . "-----END {$label}-----\n";
    }

    /** The Concat KDF of RFC 7518 §4.6.2: one round of SHA-256. */
    private static function derive(#[\SensitiveParameter] string $secret, string $audience): string
    {
        $field = static fn (string $bytes): string => pack('N', strlen($bytes)) . $bytes;
        $fields = $field('A256GCM') . $field('') . $field($audience);
        return hash('sha256', pack('N', 1) . $secret . $fields . pack('N', 256), true);
    }

    /**
     * By thumbprint (RFC 7638).
     *
     * @param list<array<string, mixed>> $keys
     * @return array<string, mixed>
     */
    private static function keyNamed(mixed $kid, #[\SensitiveParameter] array $keys): array
    {
        foreach ($keys as $key) {
            $named = [];
            foreach (['crv', 'kty', 'x', 'y'] as $name) {
                $named[$name] = $key[$name] ?? null;
            }
            $text = (string) json_encode($named, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE);
            if ($kid === self::toBase64url(hash('sha256', $text, true))) {
                return $key;
            }
        }
        throw new ResultException(
            ResultFault::NoKey,
            'The result is encrypted to a key that is not among those given.',
        );
    }

    /** @return array<string, mixed> */
    private static function readHeader(string $text): array
    {
        $json = self::fromBase64url($text);
        if (!json_decode($json) instanceof \stdClass) {
            throw self::damaged('its header cannot be read');
        }
        return json_decode($json, true);
    }

    /** @return array{claims: array<string, mixed>, credentials: list<array{claims: array<string, mixed>}>} */
    private static function readContent(string $json): array
    {
        // Decodes objects first, because as PHP arrays an empty list and an empty object are the same.
        $content = json_decode($json);
        $claims = $content instanceof \stdClass ? ($content->claims ?? null) : null;
        $credentials = $content instanceof \stdClass ? ($content->credentials ?? null) : null;
        if (!$claims instanceof \stdClass || !is_array($credentials)) {
            throw self::damaged('it holds no result');
        }
        foreach ($credentials as $credential) {
            if (!$credential instanceof \stdClass || !($credential->claims ?? null) instanceof \stdClass) {
                throw self::damaged('a credential has no claims');
            }
        }
        return json_decode($json, true, 512, JSON_BIGINT_AS_STRING);
    }

    private static function toBase64url(string $bytes): string
    {
        return rtrim(strtr(base64_encode($bytes), '+/', '-_'), '=');
    }

    /** Decodes canonical base64url only: no padding, no white space, unused bits are zero. */
    private static function fromBase64url(#[\SensitiveParameter] string $text): string
    {
        $bytes = base64_decode(strtr($text, '-_', '+/'), true);
        if ($bytes === false || self::toBase64url($bytes) !== $text) {
            throw self::damaged('it is not base64url');
        }
        return $bytes;
    }

    private static function damaged(string $why): ResultException
    {
        return new ResultException(ResultFault::Damaged, "The result cannot be opened: {$why}.");
    }
}
