<?php

declare(strict_types=1);

namespace Vidimus\Model;

final class Finding
{
    private function __construct(
        public readonly string $check,
        /** `pass`, `fail`, `warning` or `skipped`. */
        public readonly string $status,
        public readonly ?string $detail,
    ) {
    }

    /** @internal */
    public static function read(mixed $value): self
    {
        $m = Members::of($value);
        return new self($m->text('check'), $m->text('status'), $m->optionalText('detail'));
    }
}
