<?php

declare(strict_types=1);

namespace Vidimus\Exception;

/** Something other than the service answered: a proxy, a redirect, a web page. */
final class UnexpectedAnswerException extends VidimusException
{
}
