<?php

declare(strict_types=1);

namespace Vidimus;

use Vidimus\Model\TemplateList;
use Vidimus\Model\Usage;

/**
 * The merchant's client: it calls the routes of merchants and devices. Every method throws a `VidimusException` if it fails.
 *
 *     $vidimus = new Client('https://verify.example.com', getenv('VIDIMUS_API_KEY') ?: '');
 *     $created = $vidimus->verifications->create(new NewVerification(template: 'age_over_18', purpose: 'To sell you wine'));
 *     $result = $vidimus->verifications->waitForResult($created->id);
 *     $isOldEnough = $result->status === Status::Completed && ($result->claims['age_over_18'] ?? null) === true;
 */
final class Client
{
    public readonly Verifications $verifications;
    public readonly Links $links;
    public readonly Devices $devices;
    private readonly Transport $transport;

    /**
     * @param string $apiKey a secret of your server: never send it to a browser or an app
     * @param float $timeout seconds, for each attempt
     * @param int $retries how often a call is retried, if that is safe
     * @param float $longestWait seconds; the client does not wait for a longer `Retry-After`
     * @param (\Closure(float): void)|null $sleep for tests: waits so many seconds
     * @param (\Closure(): float)|null $clock for tests: seconds since any point
     */
    public function __construct(
        string $baseUrl,
        #[\SensitiveParameter] string $apiKey,
        float $timeout = 30.0,
        int $retries = 3,
        float $longestWait = 60.0,
        ?\Closure $sleep = null,
        ?\Closure $clock = null,
    ) {
        $this->transport = new Transport(
            self::checkBaseUrl($baseUrl),
            self::checkKey($apiKey),
            self::checkNumber($timeout, 'timeout', 0.001),
            (int) self::checkNumber($retries, 'retries', 0),
            self::checkNumber($longestWait, 'longestWait', 0),
            $sleep ?? static function (float $seconds): void {
                usleep((int) ceil($seconds * 1e6));
            },
            $clock ?? static fn (): float => hrtime(true) / 1e9,
        );
        $this->verifications = new Verifications($this->transport);
        $this->links = new Links($this->transport);
        $this->devices = new Devices($this->transport);
    }

    /** The quota and the creations of today and the last days. */
    public function usage(): Usage
    {
        return $this->transport->send('GET', '/v1/usage', Usage::read(...), repeatable: true);
    }

    /** The templates that this key may use, with titles for people. */
    public function templates(): TemplateList
    {
        return $this->transport->send('GET', '/v1/templates', TemplateList::read(...), repeatable: true);
    }

    private static function checkBaseUrl(string $baseUrl): string
    {
        $url = parse_url($baseUrl);
        $plain = is_array($url) && array_diff_key($url, ['scheme' => 0, 'host' => 0, 'port' => 0, 'path' => 0]) === [];
        $isHttp = $plain && in_array(strtolower($url['scheme'] ?? ''), ['http', 'https'], true);
        if ($isHttp && ($url['host'] ?? '') !== '' && preg_match('/[\x00-\x20\x7f]/', $baseUrl) === 0) {
            return rtrim($baseUrl, '/');
        }
        throw new \InvalidArgumentException('the base address must be that of the service, such as https://verify.example.com');
    }

    /** Refuses an unset variable or a pasted line end immediately, and never shows the key. */
    private static function checkKey(#[\SensitiveParameter] string $apiKey): string
    {
        if (preg_match('/\A(?:vk_(?:test|live)_|vd_)[\x21-\x7e]+\z/', $apiKey) === 1) {
            return $apiKey;
        }
        throw new \InvalidArgumentException(
            'the key must be a Vidimus key: it begins with vk_test_ or vk_live_ and contains no white space',
        );
    }

    private static function checkNumber(float $value, string $name, float $least): float
    {
        if (is_finite($value) && $value >= $least) {
            return $value;
        }
        throw new \InvalidArgumentException("{$name} must be a number, {$least} or more");
    }
}
