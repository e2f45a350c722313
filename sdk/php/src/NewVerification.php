<?php

declare(strict_types=1);

namespace Vidimus;

/** A request for a verification: exactly one of `template` and `query`. */
final class NewVerification
{
    /**
     * @param array<string, mixed>|null $query a DCQL query; write an empty object in it as `new \stdClass()`
     * @param array<string, string> $metadata echoed on results and webhooks
     * @param list<array<string, mixed>> $transaction
     */
    public function __construct(
        public readonly ?string $template = null,
        public readonly ?array $query = null,
        /** Why you ask, in one sentence. The holder sees it. */
        public readonly ?string $purpose = null,
        public readonly array $metadata = [],
        public readonly ?int $ttlSeconds = null,
        /** Where the holder goes after answering on the same device, with `#response_code=…`. */
        public readonly ?string $redirectUrl = null,
        public readonly ?string $webhookUrl = null,
        /** The origin of your page, if the page asks wallets through the browser API. */
        public readonly ?string $origin = null,
        /** Selects the registration certificate, if the template does not. */
        public readonly ?string $intendedUse = null,
        /** What the holder must confirm: objects with `type` and the members of the type. */
        public readonly array $transaction = [],
        /** `first` (only the first browser that opens the hosted page can use it) or `none`; null: your setting. */
        public readonly ?string $browserBinding = null,
    ) {
        if (($template === null) === ($query === null)) {
            throw new \InvalidArgumentException('give exactly one of template and query');
        }
    }

    /**
     * @internal
     * @return array<string, mixed>
     */
    public function body(): array
    {
        return array_filter([
            'template' => $this->template,
            'query' => $this->query,
            'purpose' => $this->purpose,
            // A PHP array with numeric keys would become a list. In JSON it must be an object.
            'metadata' => $this->metadata === [] ? null : (object) $this->metadata,
            'ttl_seconds' => $this->ttlSeconds,
            'redirect_url' => $this->redirectUrl,
            'webhook_url' => $this->webhookUrl,
            'origin' => $this->origin,
            'intended_use' => $this->intendedUse,
            'browser_binding' => $this->browserBinding,
            'transaction' => $this->transaction === [] ? null : $this->transaction,
        ], static fn (mixed $value): bool => $value !== null);
    }
}
