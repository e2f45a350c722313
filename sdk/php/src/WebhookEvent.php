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
        /** As `verifications->get` would have read it when the webhook was sent; null for a type that is new here. */
        public readonly ?Verification $verification,
        public readonly ?string $sentAt,
        public readonly array $payload,
    ) {
    }

    /** False: signed by the service, and newer than this library. Answer it with a 2xx and leave it. */
    public function isKnown(): bool
    {
        return $this->verification !== null;
    }
}
