<?php

declare(strict_types=1);

namespace Vidimus\Model;

final class ErasureResult
{
    /** @param array<string, int> $deleted rows hard-deleted, by table */
    private function __construct(
        public readonly string $id,
        public readonly array $deleted,
        public readonly string $erasedAt,
    ) {
    }

    /** @internal */
    public static function read(mixed $value): self
    {
        $m = Members::of($value);
        return new self($m->text('id'), $m->object('deleted'), $m->text('erased_at'));
    }
}
