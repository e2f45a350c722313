<?php

declare(strict_types=1);

namespace Vidimus\Exception;

/** 5xx, in the service's own words. */
final class ServerException extends VidimusException
{
}
