<?php

declare(strict_types=1);

namespace Vidimus\Exception;

use Vidimus\ResultFault;

/** A result was not opened. `fault` is stable, the message is for your log. */
final class ResultException extends \RuntimeException
{
    public function __construct(public readonly ResultFault $fault, string $message)
    {
        parent::__construct($message);
    }
}
