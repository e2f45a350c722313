<?php

declare(strict_types=1);

namespace Vidimus\Exception;

/** 400 or 422: the request is invalid. Fix it before you retry. */
final class InvalidRequestException extends VidimusException
{
}
