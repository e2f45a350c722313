<?php

declare(strict_types=1);

namespace Vidimus\Exception;

use Vidimus\WebhookFault;

/** Answer the request with 400. `fault` is stable, the message is for your log. */
final class WebhookVerificationException extends \RuntimeException
{
    public function __construct(public readonly WebhookFault $fault, string $message)
    {
        parent::__construct($message);
    }
}
