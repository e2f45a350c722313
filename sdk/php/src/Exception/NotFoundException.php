<?php

declare(strict_types=1);

namespace Vidimus\Exception;

/** 404: no such verification, device or response code. */
final class NotFoundException extends VidimusException
{
}
