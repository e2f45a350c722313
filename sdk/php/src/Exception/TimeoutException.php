<?php

declare(strict_types=1);

namespace Vidimus\Exception;

/** No whole answer in time; or, of `waitForResult`, still pending. */
final class TimeoutException extends VidimusException
{
}
