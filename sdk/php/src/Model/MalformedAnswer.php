<?php

declare(strict_types=1);

namespace Vidimus\Model;

/** A required member is missing, or has another type. @internal */
final class MalformedAnswer extends \UnexpectedValueException
{
}
