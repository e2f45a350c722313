<?php

declare(strict_types=1);

namespace Vidimus;

/** Why a result was not opened. */
enum ResultFault: string
{
    /** It is encrypted to a key that is not among those given. */
    case NoKey = 'no_key';
    /** It does not open, or belongs to another verification. */
    case Damaged = 'damaged';
    /** It was readable to others, and you expect results that only you can read. */
    case NotEncrypted = 'not_encrypted';
}
