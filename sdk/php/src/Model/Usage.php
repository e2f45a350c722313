<?php

declare(strict_types=1);

namespace Vidimus\Model;

final class Usage
{
    /** @param list<array{day: string, verificationsCreated: int}> $recent days with any usage, newest first */
    private function __construct(
        public readonly string $day,
        public readonly int $verificationsCreated,
        public readonly int $dailyQuota,
        public readonly int $remaining,
        public readonly array $recent,
    ) {
    }

    /** @internal */
    public static function read(mixed $value): self
    {
        $m = Members::of($value);
        $readDay = static function (mixed $value): array {
            $day = Members::of($value);
            return ['day' => $day->text('day'), 'verificationsCreated' => $day->number('verifications_created')];
        };
        return new self(
            $m->text('day'),
            $m->number('verifications_created'),
            $m->number('daily_quota'),
            $m->number('remaining'),
            $m->list('recent', $readDay),
        );
    }
}
