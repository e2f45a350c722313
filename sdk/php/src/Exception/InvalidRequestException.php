<?php

declare(strict_types=1);

namespace Vidimus\Exception;

/** 400 or 422: the request itself has to be mended. */
final class InvalidRequestException extends VidimusException
{
}
