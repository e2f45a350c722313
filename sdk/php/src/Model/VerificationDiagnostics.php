<?php

declare(strict_types=1);

namespace Vidimus\Model;

/** How a verification went, without its content. */
final class VerificationDiagnostics
{
    /**
     * @param string|null $channel `redirect`, `age_link`, `dc_api` or `annex_c`; null: no answer yet, or not recorded
     * @param string|null $binding how the answer was bound to the browser that asked; null: it was not recorded
     * @param list<SentRequest> $requests the request objects that wallets fetched
     * @param list<CredentialChecks>|null $credentials empty: no credential was presented; null: forgotten, or not recorded
     */
    private function __construct(
        public readonly string $id,
        public readonly string $status,
        public readonly ?string $channel,
        public readonly ?string $binding,
        public readonly array $requests,
        public readonly ?array $credentials,
    ) {
    }

    /** @internal */
    public static function read(mixed $value): self
    {
        $m = Members::of($value);
        // A missing list must not read as an empty one.
        if (!array_key_exists('credentials', $m->all)) {
            throw new MalformedAnswer('credentials');
        }
        return new self(
            $m->text('id'),
            $m->text('status'),
            $m->optionalText('channel'),
            $m->optionalText('binding'),
            array_key_exists('requests', $m->all) ? $m->list('requests', SentRequest::read(...)) : [],
            $m->all['credentials'] === null ? null : $m->list('credentials', CredentialChecks::read(...)),
        );
    }
}
