package vidimus

import (
	"fmt"
	"time"
)

// Code says why a call did not succeed. Codes are stable; a newer service may send others.
type Code string

// The codes that this version knows.
const (
	CodeAPIKeyExpired           Code = "api_key_expired"
	CodeDeviceLimitReached      Code = "device_limit_reached"
	CodeDeviceNotFound          Code = "device_not_found"
	CodeEvidenceNotFound        Code = "evidence_not_found"
	CodeIdempotencyKeyInFlight  Code = "idempotency_key_in_flight"
	CodeIdempotencyKeyReused    Code = "idempotency_key_reused"
	CodeInsufficientScope       Code = "insufficient_scope"
	CodeInternalError           Code = "internal_error"
	CodeInvalidAPIKey           Code = "invalid_api_key"
	CodeInvalidIdempotencyKey   Code = "invalid_idempotency_key"
	CodeInvalidPairingCode      Code = "invalid_pairing_code"
	CodeInvalidRefreshToken     Code = "invalid_refresh_token"
	CodeInvalidRequest          Code = "invalid_request"
	CodeInvalidResponseCode     Code = "invalid_response_code"
	CodeInvalidWebhookURL       Code = "invalid_webhook_url"
	CodeLinkLimitReached        Code = "link_limit_reached"
	CodeLinkNotFound            Code = "link_not_found"
	CodeNotRegistered           Code = "not_registered"
	CodeOriginNotAllowed        Code = "origin_not_allowed"
	CodeOverAsking              Code = "over_asking"
	CodeInvalidTransaction      Code = "invalid_transaction"
	CodeTransactionNotSupported Code = "transaction_not_supported_for_credential"
	CodePayloadTooLarge         Code = "payload_too_large"
	CodeQuotaExceeded           Code = "quota_exceeded"
	CodeRateLimitExceeded       Code = "rate_limit_exceeded"
	CodeSessionAlreadyResponded Code = "session_already_responded"
	CodeSessionNotFound         Code = "session_not_found"
	CodeTemplateNotAllowed      Code = "template_not_allowed"
	CodeUnavailable             Code = "unavailable"
	CodeUnknownTemplate         Code = "unknown_template"
	CodeUnsupportedMediaType    Code = "unsupported_media_type"

	// Our own, for calls that the service did not answer in its own words:
	// no connection, or it broke;
	CodeConnectionFailed Code = "connection_failed"
	// no whole answer in time, or, of Wait, still pending;
	CodeTimeout Code = "timeout"
	// something answered that is not the service: a proxy, a redirect, a page.
	CodeUnexpectedAnswer Code = "unexpected_answer"
)

// Error is what every call returns that did not succeed, unless its context ended: then it is the context's error.
// Decide by Code; Message is for people and may change. Quote RequestID to the operator. Nothing of the request is in it.
//
//	var refused *vidimus.Error
//	if errors.As(err, &refused) && refused.Code == vidimus.CodeQuotaExceeded {
//		return tryTomorrow(refused.RetryAfter)
//	}
type Error struct {
	Code    Code
	Message string
	// Status is that of HTTP; 0 where there was no answer.
	Status    int
	RequestID string
	// RetryAfter is what the service asked for; HasRetryAfter tells none from "at once".
	RetryAfter    time.Duration
	HasRetryAfter bool
}

func (e *Error) Error() string {
	if e.RequestID == "" {
		return fmt.Sprintf("vidimus: %s: %s", e.Code, e.Message)
	}
	return fmt.Sprintf("vidimus: %s: %s (%s)", e.Code, e.Message, e.RequestID)
}
