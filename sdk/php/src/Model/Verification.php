<?php

declare(strict_types=1);

namespace Vidimus\Model;

use Vidimus\Status;

/** Times are ISO 8601 texts in UTC, as the service sends them. */
final class Verification
{
    /**
     * @param array<string, mixed> $claims merged verified claims; empty unless completed
     * @param list<CredentialResult> $credentials
     * @param array{code: string, message: string}|null $error
     * @param array<string, string> $metadata
     * @param array<string, mixed> $raw the whole answer, including members that this library does not know
     */
    private function __construct(
        public readonly string $id,
        public readonly Status $status,
        /** As the service sent it. */
        public readonly string $statusName,
        public readonly string $createdAt,
        public readonly string $expiresAt,
        public readonly ?string $template,
        /** For a QR code or a link; only while pending. */
        public readonly ?string $walletUri,
        public readonly ?string $requestUri,
        public readonly array $claims,
        public readonly array $credentials,
        public readonly ?array $error,
        public readonly array $metadata,
        public readonly ?string $purpose,
        public readonly ?string $redirectUrl,
        public readonly ?string $respondedAt,
        public readonly array $raw,
    ) {
    }

    /** @internal */
    public static function read(mixed $value): self
    {
        $m = Members::of($value);
        $error = isset($m->all['error']) ? Members::of($m->all['error']) : null;
        return new self(
            id: $m->text('id'),
            status: Status::of($m->text('status')),
            statusName: $m->text('status'),
            createdAt: $m->text('created_at'),
            expiresAt: $m->text('expires_at'),
            template: $m->optionalText('template'),
            walletUri: $m->optionalText('wallet_uri'),
            requestUri: $m->optionalText('request_uri'),
            claims: $m->optionalObject('claims'),
            credentials: isset($m->all['credentials']) ? $m->list('credentials', CredentialResult::read(...)) : [],
            error: $error === null ? null : ['code' => $error->text('code'), 'message' => $error->text('message')],
            metadata: $m->optionalObject('metadata'),
            purpose: $m->optionalText('purpose'),
            redirectUrl: $m->optionalText('redirect_url'),
            respondedAt: $m->optionalText('responded_at'),
            raw: $m->all,
        );
    }

    /**
     * @internal
     * @return list<self>
     */
    public static function readList(mixed $value): array
    {
        return Members::of($value)->list('data', self::read(...));
    }
}
