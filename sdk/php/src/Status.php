<?php

declare(strict_types=1);

namespace Vidimus;

/** The status of a verification. Only `Completed` is a proof. */
enum Status: string
{
    case Pending = 'pending';
    case Completed = 'completed';
    case Failed = 'failed';
    case Expired = 'expired';
    /** A status that this library does not know: neither pending nor a proof. Its name is in `statusName`. */
    case Unknown = '';

    public static function of(string $name): self
    {
        return self::tryFrom($name) ?? self::Unknown;
    }
}
