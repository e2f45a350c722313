<?php

declare(strict_types=1);

namespace Vidimus;

use Vidimus\Model\Verification;

final class WebhookEvent
{
    /**
     * @internal
     * @param array<string, mixed> $payload the whole body, as parsed
     */
    public function __construct(
        public readonly string $type,
        /** What `verifications->get` would have returned when the webhook was sent; null for a type that this library does not know. */
        public readonly ?Verification $verification,
        public readonly ?string $sentAt,
        public readonly array $payload,
    ) {
    }

    /** False if this library does not know the type. Answer it with a 2xx and ignore it. */
    public function isKnown(): bool
    {
        return $this->verification !== null;
    }
}
