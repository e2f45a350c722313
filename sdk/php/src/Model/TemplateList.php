<?php

declare(strict_types=1);

namespace Vidimus\Model;

final class TemplateList
{
    /** @param array<string, string> $titles by key, for people */
    private function __construct(
        /** `test` or `live`: in `test` results prove nothing. */
        public readonly string $environment,
        public readonly array $titles,
    ) {
    }

    /** @internal */
    public static function read(mixed $value): self
    {
        $m = Members::of($value);
        $titles = [];
        foreach ($m->list('data', Members::of(...)) as $template) {
            $titles[$template->text('key')] = $template->text('title');
        }
        return new self($m->text('environment'), $titles);
    }
}
