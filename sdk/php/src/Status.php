<?php

declare(strict_types=1);

namespace Vidimus;

/** How far a verification is. Only `Completed` is a proof. */
enum Status: string
{
    case Pending = 'pending';
    case Completed = 'completed';
    case Failed = 'failed';
    case Expired = 'expired';
    /** A state that is newer than this library: neither pending nor a proof. Its name is in `statusName`. */
    case Unknown = '';

    public static function of(string $name): self
    {
        return self::tryFrom($name) ?? self::Unknown;
    }
}
