<?php

declare(strict_types=1);

namespace Vidimus;

/** Why a webhook was refused. */
enum WebhookFault: string
{
    case InvalidSecret = 'invalid_secret';
    case MissingHeader = 'missing_header';
    case MalformedHeader = 'malformed_header';
    case OutsideTolerance = 'outside_tolerance';
    case NoSignatureMatches = 'no_signature_matches';
    case MalformedPayload = 'malformed_payload';
}
