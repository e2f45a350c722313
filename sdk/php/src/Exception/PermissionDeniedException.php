<?php

declare(strict_types=1);

namespace Vidimus\Exception;

/** 403: the key or device is known and may not do this. */
final class PermissionDeniedException extends VidimusException
{
}
