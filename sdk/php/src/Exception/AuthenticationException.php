<?php

declare(strict_types=1);

namespace Vidimus\Exception;

/** 401: the key is missing, wrong, revoked or expired. */
final class AuthenticationException extends VidimusException
{
}
