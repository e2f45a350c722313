<?php

declare(strict_types=1);

namespace Vidimus\Exception;

use Vidimus\ErrorCode;

/**
 * Decide by class or `errorCode`; the message is for people and may change. Quote `requestId` to the operator.
 * It contains nothing of the request: no key, no code, no body.
 */
class VidimusException extends \RuntimeException
{
    final public function __construct(
        /** The code as the service sent it, even if this library does not know it. */
        public readonly string $errorCode,
        string $message,
        /** The HTTP status; null without an answer. */
        public readonly ?int $status = null,
        public readonly ?string $requestId = null,
        /** Seconds, as the service asked for. */
        public readonly ?int $retryAfter = null,
    ) {
        parent::__construct($message);
    }

    /** Null if this library does not know the code. */
    public function knownCode(): ?ErrorCode
    {
        return ErrorCode::tryFrom($this->errorCode);
    }

    /** Creates the exception class of the code; for an unknown code, the class of the HTTP status. */
    public static function refusal(string $code, string $message, int $status, ?string $requestId, ?int $retryAfter): self
    {
        $class = match (true) {
            $code === ErrorCode::QuotaExceeded->value => QuotaExceededException::class,
            $status >= 500 => ServerException::class,
            default => match ($status) {
                400, 413, 415, 422 => InvalidRequestException::class,
                401 => AuthenticationException::class,
                403 => PermissionDeniedException::class,
                404 => NotFoundException::class,
                409, 410 => ConflictException::class,
                429 => RateLimitException::class,
                default => self::class,
            },
        };
        return new $class($code, $message, $status, $requestId, $retryAfter);
    }
}
