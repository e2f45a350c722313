<?php

// Checks an ID token: OpenID Connect Core 1.0, section 3.1.3.7. Accepts only RS256, the default of a client.

declare(strict_types=1);

namespace VidimusSignIn;

defined('ABSPATH') || exit;

/** Why a sign-in was refused, for the log of the site. `shown` is what the person reads: a key of MESSAGES. */
final class Refused extends \RuntimeException
{
    public function __construct(string $reason, public readonly string $shown = 'failed')
    {
        parent::__construct($reason);
    }
}

/** The allowed difference between clocks, and the maximum age of a token. */
const CLOCK_SECONDS = 60;
const TOKEN_SECONDS_MAX = 600;

/** Returns the subject if every check passes. */
function checkIdToken(mixed $token, array $jwks, string $issuer, string $clientId, string $nonce, int $now): string
{
    $parts = is_string($token) ? explode('.', $token) : [];
    if (count($parts) !== 3) {
        throw new Refused('there is no ID token');
    }
    $header = json_decode(fromBase64url($parts[0]), true, 4);
    if (($header['alg'] ?? null) !== 'RS256' || isset($header['crit'])) {
        throw new Refused('the ID token is not signed with RS256');
    }
    $key = findKey($jwks, $header['kid'] ?? null);
    if (openssl_verify("{$parts[0]}.{$parts[1]}", fromBase64url($parts[2]), $key, OPENSSL_ALGO_SHA256) !== 1) {
        throw new Refused('the signature of the ID token is wrong');
    }
    $claims = json_decode(fromBase64url($parts[1]), true, 16);
    $wrong = match (false) {
        is_array($claims) => 'content',
        ($claims['iss'] ?? null) === $issuer => 'iss',
        in_array($claims['aud'] ?? null, [$clientId, [$clientId]], true) => 'aud',
        ($claims['azp'] ?? $clientId) === $clientId => 'azp',
        is_int($claims['exp'] ?? null) && $claims['exp'] > $now - CLOCK_SECONDS => 'exp',
        is_int($claims['iat'] ?? null) && abs($now - $claims['iat']) <= TOKEN_SECONDS_MAX => 'iat',
        is_string($claims['nonce'] ?? null) && hash_equals($nonce, $claims['nonce']) => 'nonce',
        is_string($claims['sub'] ?? null) && preg_match('/^[\x21-\x7e]{1,255}$/D', $claims['sub']) === 1 => 'sub',
        default => null,
    };
    if ($wrong !== null) {
        throw new Refused("the ID token has a wrong {$wrong}");
    }
    return $claims['sub'];
}

function findKey(array $jwks, mixed $kid): \OpenSSLAsymmetricKey
{
    foreach (is_string($kid) && is_array($jwks['keys'] ?? null) ? $jwks['keys'] : [] as $jwk) {
        $isMeant = is_array($jwk) && ($jwk['kid'] ?? null) === $kid && ($jwk['kty'] ?? null) === 'RSA';
        if (!$isMeant || ($jwk['use'] ?? 'sig') !== 'sig' || ($jwk['alg'] ?? 'RS256') !== 'RS256') {
            continue;
        }
        $numbers = derNumber($jwk['n'] ?? null) . derNumber($jwk['e'] ?? null);
        // SubjectPublicKeyInfo with rsaEncryption (RFC 3279, section 2.3.1), the form that openssl reads.
        $info = der(0x30, hex2bin('300d06092a864886f70d0101010500') . der(0x03, "\0" . der(0x30, $numbers)));
        $pem = "-----BEGIN PUBLIC KEY-----\n" . chunk_split(base64_encode($info), 64, "\n") . '-----END PUBLIC KEY-----';
        $key = openssl_pkey_get_public($pem);
        if ($key !== false && openssl_pkey_get_details($key)['bits'] >= 2048) {
            return $key;
        }
    }
    throw new Refused('the provider has no key of that name');
}

function derNumber(mixed $base64url): string
{
    $bytes = ltrim(fromBase64url(is_string($base64url) ? $base64url : ''), "\0");
    return der(0x02, $bytes === '' || ord($bytes[0]) >= 0x80 ? "\0{$bytes}" : $bytes);
}

function der(int $tag, string $content): string
{
    $length = strlen($content);
    $bytes = ltrim(pack('N', $length), "\0");
    return chr($tag) . ($length < 0x80 ? chr($length) : chr(0x80 | strlen($bytes)) . $bytes) . $content;
}

/** Returns an empty text if the input is not base64url. No check passes with it. */
function fromBase64url(string $text): string
{
    $isPlain = preg_match('/^[A-Za-z0-9_-]*$/D', $text) === 1;
    return $isPlain ? (string) base64_decode(strtr($text, '-_', '+/'), true) : '';
}

function toBase64url(string $bytes): string
{
    return rtrim(strtr(base64_encode($bytes), '+/', '-_'), '=');
}
