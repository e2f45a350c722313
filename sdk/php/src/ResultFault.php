<?php

declare(strict_types=1);

namespace Vidimus;

/** Why a result was not opened. */
enum ResultFault: string
{
    /** The result is encrypted to a key that you did not pass. */
    case NoKey = 'no_key';
    /** The result cannot be decrypted, or belongs to another verification. */
    case Damaged = 'damaged';
    /** The result is not encrypted, but you expect encrypted results. */
    case NotEncrypted = 'not_encrypted';
}
