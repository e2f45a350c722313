<?php

declare(strict_types=1);

namespace Vidimus\Model;

final class Link
{
    /** @param array<string, mixed> $raw */
    private function __construct(
        public readonly string $id,
        /** `scheduled`, `open`, `used_up`, `ended` or `revoked`. */
        public readonly string $state,
        public readonly string $startsAt,
        public readonly string $endsAt,
        /** Null: any number. */
        public readonly ?int $uses,
        public readonly int $opened,
        public readonly int $completed,
        public readonly string $createdAt,
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
            $m->text('state'),
            $m->text('starts_at'),
            $m->text('ends_at'),
            ($m->all['uses'] ?? null) === null ? null : $m->number('uses'),
            $m->number('opened'),
            $m->number('completed'),
            $m->text('created_at'),
            $m->optionalText('revoked_at'),
            // The address of a created link is a secret.
            array_diff_key($m->all, ['url' => null]),
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
