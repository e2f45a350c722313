<?php

declare(strict_types=1);

namespace Vidimus\Exception;

/** No connection, or it broke. */
final class ConnectionException extends VidimusException
{
}
