<?php

declare(strict_types=1);

namespace Vidimus;

use Vidimus\Exception\TimeoutException;
use Vidimus\Exception\VidimusException;
use Vidimus\Model\ErasureResult;
use Vidimus\Model\EvidenceDelivery;
use Vidimus\Model\MalformedAnswer;
use Vidimus\Model\Verification;
use Vidimus\Model\VerificationDiagnostics;
use Vidimus\Model\VerificationStatus;

/** Calls the routes of verifications: create, wait, read, redeem, cancel, list, erase. */
final class Verifications
{
    private const BASE = '/v1/verifications';
    private const FIRST_PAUSE = 1.0;
    private const PAUSE_MAX = 5.0;
    private const GROWTH = 1.25;

    /** @internal */
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Creates a verification. An idempotency key of your own, such as the order number, prevents duplicates after a crash or
     * a double click. Without one, each call creates a new verification; the retries within a call do not.
     */
    public function create(NewVerification $request, ?string $idempotencyKey = null): Verification
    {
        $key = $idempotencyKey ?? bin2hex(random_bytes(16));
        if (preg_match('/\A[\x21-\x7e]{1,255}\z/', $key) !== 1) {
            throw new \InvalidArgumentException(
                'an idempotency key is 1 to 255 printable ASCII characters without spaces',
            );
        }
        $read = Verification::read(...);
        return $this->transport->send('POST', self::BASE, $read, true, body: $request->body(), idempotencyKey: $key);
    }

    public function get(string $id): Verification
    {
        return $this->transport->send('GET', self::path($id), Verification::read(...), repeatable: true);
    }

    /** Reads only the status. It needs no key and never contains claims. */
    public function status(string $id): VerificationStatus
    {
        $path = self::path($id) . '/status';
        return $this->transport->send('GET', $path, VerificationStatus::read(...), repeatable: true, anonymous: true);
    }

    /**
     * Polls with backoff until the verification is no longer pending, then reads it. With a webhook you need no polling.
     *
     * @param float $timeout seconds. By the default, every verification has ended
     * @throws TimeoutException if it is still pending then
     */
    public function waitForResult(string $id, float $timeout = 3900.0): Verification
    {
        $end = ($this->transport->clock)() + $timeout;
        for ($pause = self::FIRST_PAUSE; ; $pause = min(self::PAUSE_MAX, $pause * self::GROWTH)) {
            $wait = $this->pauseBeforeNextPoll($id, $pause);
            if ($wait === null) {
                return $this->get($id);
            }
            if (($this->transport->clock)() + $wait > $end) {
                throw new TimeoutException(ErrorCode::Timeout->value, "Still pending after {$timeout} seconds.");
            }
            ($this->transport->sleep)($wait);
        }
    }

    /** Null when it has ended. Treats network errors, 429 and 5xx as pending, so a short outage does not end the wait. */
    private function pauseBeforeNextPoll(string $id, float $pause): ?float
    {
        try {
            return $this->status($id)->status === Status::Pending ? $pause : null;
        } catch (VidimusException $error) {
            if ($error->status === null || $error->status === 429 || $error->status >= 500) {
                return max($pause, (float) $error->retryAfter);
            }
            throw $error;
        }
    }

    /** Exchanges the `response_code` of a redirect, once. It is not retried, because a used code stays used. */
    public function redeem(string $id, #[\SensitiveParameter] string $responseCode): Verification
    {
        $body = ['response_code' => $responseCode];
        return $this->transport->send('POST', self::path($id) . '/redeem', Verification::read(...), false, body: $body);
    }

    /** Ends a pending verification: its status becomes `expired`. If it was answered: `ConflictException`. */
    public function cancel(string $id): Verification
    {
        return $this->transport->send('POST', self::path($id) . '/cancel', Verification::read(...), repeatable: true);
    }

    /** Deletes the claims and credentials of a verification, and keeps its record. */
    public function forget(string $id): Verification
    {
        return $this->transport->send('POST', self::path($id) . '/forget', Verification::read(...), repeatable: true);
    }

    /** `yes` or `no`, even if the result is encrypted to you; null: not completed, no template, or forgotten. */
    public function verdict(string $id): ?string
    {
        $read = static fn (mixed $answer): ?string => is_array($answer) ? ($answer['verdict'] ?? null) : null;
        return $this->transport->send('GET', self::path($id) . '/verdict', $read, repeatable: true);
    }

    /** The signed receipt (a JWS) of a verification that has ended, even after its erasure. */
    public function receipt(string $id): string
    {
        $read = static fn (mixed $text): string => self::inForm('/\A[\w-]+\.[\w-]+\.[\w-]+\z/', $text);
        return $this->transport->send('GET', self::path($id) . '/receipt', $read, repeatable: true, asText: true);
    }

    /** The file that proves that the receipt is in the public log. In the first minute: `unavailable`. */
    public function receiptProof(string $id): string
    {
        $read = static fn (mixed $text): string => self::inForm('~\Ac2sp\.org/tlog-proof@v1\n~', $text);
        $path = self::path($id) . '/receipt.tlog-proof';
        return $this->transport->send('GET', $path, $read, repeatable: true, asText: true);
    }

    /** A one-page PDF certificate without personal data. In the first minute: `unavailable`. */
    public function certificate(string $id, ?string $language = null): string
    {
        $read = static fn (mixed $text): string => self::inForm('/\A%PDF-/', $text);
        $path = self::path($id) . '/certificate';
        return $this->transport->send('GET', $path, $read, repeatable: true, query: ['language' => $language], asText: true);
    }

    /** The evidence bundle, encrypted to you, if your operator has turned it on. The service returns it once, so it is not retried. */
    public function collectEvidence(string $id): EvidenceDelivery
    {
        return $this->transport->send('POST', self::path($id) . '/evidence', EvidenceDelivery::read(...), false);
    }

    /**
     * What the holder was asked to confirm, as it was sent, and whether exactly this was signed (`confirmed`); null: forgotten.
     *
     * @return list<array<string, mixed>>|null
     */
    public function transaction(string $id): ?array
    {
        $read = static function (mixed $answer): ?array {
            // A missing list must not read as nothing to confirm.
            if (!is_array($answer) || !array_key_exists('transaction', $answer)) {
                throw new MalformedAnswer('transaction');
            }
            $items = $answer['transaction'];
            if ($items !== null && !(is_array($items) && array_is_list($items))) {
                throw new MalformedAnswer('transaction');
            }
            return $items;
        };
        return $this->transport->send('GET', self::path($id) . '/transaction', $read, repeatable: true);
    }

    /** The channel of the answer and the outcome of each check, without claims. */
    public function diagnostics(string $id): VerificationDiagnostics
    {
        $path = self::path($id) . '/diagnostics';
        return $this->transport->send('GET', $path, VerificationDiagnostics::read(...), repeatable: true);
    }

    /**
     * One page, newest first. For the next page, pass the `createdAt` of the last entry as `before`. With a filter a page
     * can be shorter than `limit`, or empty, although older ones exist.
     *
     * @return list<Verification>
     */
    public function list(
        ?int $limit = null,
        ?string $before = null,
        ?string $status = null,
        ?string $template = null,
        ?string $reference = null,
    ): array {
        $query = [
            'limit' => $limit,
            'before' => $before,
            'status' => $status,
            'template' => $template,
            'reference' => $reference,
        ];
        return $this->transport->send('GET', self::BASE, Verification::readList(...), repeatable: true, query: $query);
    }

    /**
     * All verifications, newest first. Fetches the next page when it needs it. With a status, returns those that have it when
     * their page is fetched.
     *
     * @return \Generator<int, Verification>
     */
    public function all(
        ?string $before = null,
        int $pageSize = 100,
        ?string $status = null,
        ?string $template = null,
    ): \Generator {
        do {
            $page = $this->list($pageSize, $before);
            foreach ($page as $verification) {
                // Filters here, because a page that the service filters may be short before the end.
                $hasStatus = $status === null || $verification->statusName === $status;
                if ($hasStatus && ($template === null || $verification->template === $template)) {
                    yield $verification;
                }
                $before = $verification->createdAt;
            }
        } while (count($page) >= $pageSize);
    }

    /**
     * Deletes the verification and everything derived from it. If the connection breaks, the retry may find it gone:
     * `session_not_found` then means that it is erased.
     */
    public function erase(string $id): ErasureResult
    {
        return $this->transport->send('DELETE', self::path($id), ErasureResult::read(...), repeatable: true);
    }

    /** The address of the service's page with the request, a QR code and a button. */
    public function hostedUrl(string $id): string
    {
        return $this->transport->baseUrl . '/verify/' . self::part($id);
    }

    private static function inForm(string $form, mixed $text): string
    {
        if (!is_string($text) || preg_match($form, $text) !== 1) {
            throw new MalformedAnswer();
        }
        return $text;
    }

    private static function path(string $id): string
    {
        return self::BASE . '/' . self::part($id);
    }

    /** Refuses ids that would lead to another route: an empty one or only dots. */
    private static function part(string $id): string
    {
        if (trim($id, '.') === '') {
            throw new \InvalidArgumentException('the id of a verification is missing');
        }
        return rawurlencode($id);
    }
}
