<?php

declare(strict_types=1);

namespace Vidimus\Exception;

/** Something answered that is not the service: a proxy, a redirect, a page. */
final class UnexpectedAnswerException extends VidimusException
{
}
