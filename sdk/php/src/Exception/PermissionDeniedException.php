<?php

declare(strict_types=1);

namespace Vidimus\Exception;

/** 403: the key or device lacks the permission. */
final class PermissionDeniedException extends VidimusException
{
}
