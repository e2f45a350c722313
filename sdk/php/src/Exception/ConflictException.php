<?php

declare(strict_types=1);

namespace Vidimus\Exception;

/** 409 or 410: too late, or somebody else is at it. */
final class ConflictException extends VidimusException
{
}
