<?php

declare(strict_types=1);

namespace Vidimus\Exception;

/** No complete answer in time; for `waitForResult`: still pending. */
final class TimeoutException extends VidimusException
{
}
