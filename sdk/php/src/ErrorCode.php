<?php

declare(strict_types=1);

namespace Vidimus;

/** Codes that this version knows. They are stable; a newer service may send others. */
enum ErrorCode: string
{
    case ApiKeyExpired = 'api_key_expired';
    case DeviceLimitReached = 'device_limit_reached';
    case DeviceNotFound = 'device_not_found';
    case EvidenceNotFound = 'evidence_not_found';
    case IdempotencyKeyInFlight = 'idempotency_key_in_flight';
    case IdempotencyKeyReused = 'idempotency_key_reused';
    case InsufficientScope = 'insufficient_scope';
    case InternalError = 'internal_error';
    case InvalidApiKey = 'invalid_api_key';
    case InvalidIdempotencyKey = 'invalid_idempotency_key';
    case InvalidPairingCode = 'invalid_pairing_code';
    case InvalidRefreshToken = 'invalid_refresh_token';
    case InvalidRequest = 'invalid_request';
    case InvalidResponseCode = 'invalid_response_code';
    case InvalidWebhookUrl = 'invalid_webhook_url';
    case LinkLimitReached = 'link_limit_reached';
    case LinkNotFound = 'link_not_found';
    case NotRegistered = 'not_registered';
    case OriginNotAllowed = 'origin_not_allowed';
    case OverAsking = 'over_asking';
    case InvalidTransaction = 'invalid_transaction';
    case TransactionNotSupportedForCredential = 'transaction_not_supported_for_credential';
    case PayloadTooLarge = 'payload_too_large';
    case QuotaExceeded = 'quota_exceeded';
    case RateLimitExceeded = 'rate_limit_exceeded';
    case SessionAlreadyResponded = 'session_already_responded';
    case SessionNotFound = 'session_not_found';
    case TemplateNotAllowed = 'template_not_allowed';
    case Unavailable = 'unavailable';
    case UnknownTemplate = 'unknown_template';
    case UnsupportedMediaType = 'unsupported_media_type';

    // Codes of this library, if there is no valid answer of the service.
    case ConnectionFailed = 'connection_failed';
    case Timeout = 'timeout';
    case UnexpectedAnswer = 'unexpected_answer';
}
