<?php

declare(strict_types=1);

namespace Vidimus\Model;

final class Device
{
    /**
     * @param list<string> $allowedTemplates
     * @param array<string, mixed> $raw
     */
    private function __construct(
        public readonly string $id,
        public readonly string $name,
        /** `pending`, `active` or `revoked`. */
        public readonly string $status,
        public readonly array $allowedTemplates,
        public readonly string $createdAt,
        public readonly ?string $pairingExpiresAt,
        public readonly ?string $enrolledAt,
        public readonly ?string $lastSeenAt,
        public readonly ?string $revokedAt,
        public readonly array $raw,
    ) {
    }

    /** @internal */
    public static function read(mixed $value): self
    {
        $m = Members::of($value);
        return new self(
            $m->text('id'),
            $m->text('name'),
            $m->text('status'),
            $m->texts('allowed_templates'),
            $m->text('created_at'),
            $m->optionalText('pairing_expires_at'),
            $m->optionalText('enrolled_at'),
            $m->optionalText('last_seen_at'),
            $m->optionalText('revoked_at'),
            $m->all,
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
