<?php

declare(strict_types=1);

namespace Vidimus\Exception;

/** 429: too many requests; `retryAfter` says when to come back. */
class RateLimitException extends VidimusException
{
}
