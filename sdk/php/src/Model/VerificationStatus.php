<?php

declare(strict_types=1);

namespace Vidimus\Model;

use Vidimus\Status;

final class VerificationStatus
{
    private function __construct(
        public readonly string $id,
        public readonly Status $status,
        /** As the service sent it. */
        public readonly string $statusName,
    ) {
    }

    /** @internal */
    public static function read(mixed $value): self
    {
        $m = Members::of($value);
        return new self($m->text('id'), Status::of($m->text('status')), $m->text('status'));
    }
}
