<?php

declare(strict_types=1);

namespace Vidimus\Exception;

/** 5xx: the service failed. */
final class ServerException extends VidimusException
{
}
