<?php

declare(strict_types=1);

namespace Vidimus\Model;

final class CreatedLink
{
    private function __construct(
        public readonly Link $link,
        /** Shown only here. */
        public readonly string $url,
    ) {
    }

    /** @internal */
    public static function read(mixed $value): self
    {
        return new self(Link::read($value), Members::of($value)->text('url'));
    }
}
