<?php

declare(strict_types=1);

namespace Vidimus\Model;

/** A member that must be there is not, or is of another kind. @internal */
final class MalformedAnswer extends \UnexpectedValueException
{
}
