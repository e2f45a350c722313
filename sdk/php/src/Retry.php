<?php

declare(strict_types=1);

namespace Vidimus;

use Vidimus\Exception\VidimusException;

/** Decides whether to retry a call, and after how long. @internal */
final class Retry
{
    private const FIRST_WAIT = 0.25;
    private const BACKOFF_MAX = 8.0;

    /**
     * Seconds to wait before the next attempt; null when there must be none.
     *
     * @param bool $repeatable the call is idempotent (reads, erasure, calls with an idempotency key)
     * @param float $chance in [0, 1)
     */
    public static function wait(
        VidimusException $error,
        int $attempt,
        bool $repeatable,
        int $retries,
        float $longestWait,
        float $chance,
    ): ?float {
        if ($attempt > $retries || !self::may($error, $repeatable)) {
            return null;
        }
        // Full jitter: callers that failed together do not retry together.
        $wait = $error->retryAfter === null
            ? min(self::BACKOFF_MAX, self::FIRST_WAIT * 2 ** min($attempt - 1, 16)) * (0.5 + $chance / 2)
            : $error->retryAfter + self::FIRST_WAIT * $chance;
        return $wait > $longestWait ? null : $wait;
    }

    private static function may(VidimusException $error, bool $repeatable): bool
    {
        // The service refused it before it did anything, so a retry is safe.
        if ($error->errorCode === ErrorCode::RateLimitExceeded->value) {
            return true;
        }
        if (!$repeatable) {
            return false;
        }
        if ($error->errorCode === ErrorCode::IdempotencyKeyInFlight->value) {
            return true;
        }
        return $error->status === null || $error->status >= 500;
    }
}
