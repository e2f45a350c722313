<?php

declare(strict_types=1);

namespace Vidimus\Exception;

/** 429: the day's verifications are spent; `retryAfter` is the time until midnight UTC. Never repeated. */
final class QuotaExceededException extends RateLimitException
{
}
