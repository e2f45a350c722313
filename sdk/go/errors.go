package vidimus

import (
	"fmt"
	"time"
)

// Code says why a call failed. Codes are stable; a newer service may send others.
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

	// Codes of this library, if there is no valid answer of the service.
	// No connection, or it broke.
	CodeConnectionFailed Code = "connection_failed"
	// No complete answer in time; for Wait: still pending.
	CodeTimeout Code = "timeout"
	// Something other than the service answered: a proxy, a redirect, a web page.
	CodeUnexpectedAnswer Code = "unexpected_answer"
)

// Error is the error of every failed call. If the context ended, it is the context's error instead.
// Decide by Code; Message is for people and may change. Quote RequestID to the operator. It contains nothing of the request.
//
//	var refused *vidimus.Error
//	if errors.As(err, &refused) && refused.Code == vidimus.CodeQuotaExceeded {
//		return tryTomorrow(refused.RetryAfter)
//	}
type Error struct {
	Code    Code
	Message string
	// Status is the HTTP status; 0 without an answer.
	Status    int
	RequestID string
	// RetryAfter is the wait that the service asked for. HasRetryAfter is false if it asked for none.
	RetryAfter    time.Duration
	HasRetryAfter bool
}

func (e *Error) Error() string {
	if e.RequestID == "" {
		return fmt.Sprintf("vidimus: %s: %s", e.Code, e.Message)
	}
	return fmt.Sprintf("vidimus: %s: %s (%s)", e.Code, e.Message, e.RequestID)
}
