<?php

declare(strict_types=1);

namespace Vidimus\Exception;

use Vidimus\ErrorCode;

/**
 * Decide by class or `errorCode`; the message is for people and may change. Quote `requestId` to the operator.
 * Nothing of the request is in it: no key, no code, no body.
 */
class VidimusException extends \RuntimeException
{
    final public function __construct(
        /** As the service wrote it, also where it is newer than this library. */
        public readonly string $errorCode,
        string $message,
        /** The HTTP status; null where there was no answer. */
        public readonly ?int $status = null,
        public readonly ?string $requestId = null,
        /** Seconds, as the service asked for. */
        public readonly ?int $retryAfter = null,
    ) {
        parent::__construct($message);
    }

    /** Null where the code is newer than this library. */
    public function knownCode(): ?ErrorCode
    {
        return ErrorCode::tryFrom($this->errorCode);
    }

    /** Of the class that fits what the service said; a code that is new here fits by its status. */
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
