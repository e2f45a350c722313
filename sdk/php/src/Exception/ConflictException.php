<?php

declare(strict_types=1);

namespace Vidimus\Exception;

/** 409 or 410: too late, or another request is in progress. */
final class ConflictException extends VidimusException
{
}
