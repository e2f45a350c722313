package vidimus

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// event types, written by "node tools/generate-event-types.ts"

// The events that this version knows.
const (
	EventCompleted = "verification.completed"
	EventFailed    = "verification.failed"
)

func isKnownEvent(name string) bool {
	switch name {
	case EventCompleted, EventFailed:
		return true
	}
	return false
}

// end of event types

// SignatureHeader is the header with the signatures.
const SignatureHeader = "X-Service-Signature"

// ToleranceDefault is the largest accepted difference between the time of a signature and now.
const ToleranceDefault = 300 * time.Second

// Event is the event of a webhook.
type Event struct {
	Type string
	// Verification is what Get would have returned when the webhook was sent. It is nil for a type that this library does not know:
	// answer such an event with a 2xx and ignore it.
	Verification *Verification
	SentAt       time.Time
	// Payload is the whole body.
	Payload json.RawMessage
}

// WebhookCode says why a webhook was refused.
type WebhookCode string

const (
	WebhookInvalidSecret      WebhookCode = "invalid_secret"
	WebhookMissingHeader      WebhookCode = "missing_header"
	WebhookMalformedHeader    WebhookCode = "malformed_header"
	WebhookOutsideTolerance   WebhookCode = "outside_tolerance"
	WebhookNoSignatureMatches WebhookCode = "no_signature_matches"
	WebhookMalformedPayload   WebhookCode = "malformed_payload"
)

// WebhookError: answer the request with 400. Code is stable, Message is for your log.
type WebhookError struct {
	Code    WebhookCode
	Message string
}

func (e *WebhookError) Error() string { return fmt.Sprintf("vidimus: %s: %s", e.Code, e.Message) }

// WebhookVerifier verifies webhooks with your valid secrets. During a rotation the service signs with both.
type WebhookVerifier struct {
	Secrets []string
	// Tolerance applies in both directions; nil means ToleranceDefault.
	Tolerance *time.Duration
	// Now is for tests; nil means the system clock.
	Now func() time.Time
}

// VerifyWebhook verifies with the default tolerance and the system clock.
func VerifyWebhook(rawBody []byte, header string, secrets ...string) (*Event, error) {
	return WebhookVerifier{Secrets: secrets}.Verify(rawBody, header)
}

// Verify returns the event if one of the secrets signed exactly these bytes within the tolerance, and a *WebhookError
// otherwise. Pass the raw body, and the value of the header SignatureHeader. A replayed request passes within the tolerance:
// act once on each Type and Verification.ID. X-Service-Delivery is not signed.
func (v WebhookVerifier) Verify(rawBody []byte, header string) (*Event, error) {
	if err := checkSecrets(v.Secrets); err != nil {
		return nil, err
	}
	timestamp, candidates, err := parseHeader(header)
	if err != nil {
		return nil, err
	}
	if err := v.checkTime(timestamp); err != nil {
		return nil, err
	}
	// Compares every signature in constant time, and does not stop at a match.
	matches := false
	for _, secret := range v.Secrets {
		wanted := []byte(signature(secret, timestamp, rawBody))
		for _, candidate := range candidates {
			equal := hmac.Equal([]byte(candidate), wanted)
			matches = matches || equal
		}
	}
	if !matches {
		return nil, &WebhookError{WebhookNoSignatureMatches, "No signature matches. Either the secret is another one (of the other " +
			"environment, or rotated more than 24 hours ago), or the body is not the raw body: pass the bytes as received, before any " +
			"JSON parser has parsed and rewritten them."}
	}
	return parsePayload(rawBody)
}

// SignWebhook signs like the service, for your tests. Pass several secrets newest first, as during a rotation.
func SignWebhook(rawBody []byte, now time.Time, secrets ...string) (string, error) {
	if err := checkSecrets(secrets); err != nil {
		return "", err
	}
	timestamp := strconv.FormatInt(now.Unix(), 10)
	elements := []string{"t=" + timestamp}
	for _, secret := range secrets {
		elements = append(elements, "v1="+signature(secret, timestamp, rawBody))
	}
	return strings.Join(elements, ","), nil
}

var secretPattern = regexp.MustCompile(`\Awhsec_[\x21-\x7e]+\z`)

// An unset variable must not become an empty key: anyone could sign with it.
func checkSecrets(secrets []string) error {
	if len(secrets) == 0 {
		return &WebhookError{WebhookInvalidSecret, "No secret was given."}
	}
	for _, secret := range secrets {
		if !secretPattern.MatchString(secret) {
			return &WebhookError{WebhookInvalidSecret, `A webhook secret begins with "whsec_" and contains no white space. Is the variable ` +
				"set, and without a line end?"}
		}
	}
	return nil
}

var timePattern = regexp.MustCompile(`\A(?:0|[1-9][0-9]{0,14})\z`)

// Ignores other elements than t and v1: later versions may add some.
func parseHeader(header string) (timestamp string, signatures []string, err error) {
	if header == "" {
		return "", nil, &WebhookError{WebhookMissingHeader, "The header " + SignatureHeader + " is missing."}
	}
	var timestamps []string
	for _, element := range strings.Split(header, ",") {
		element = strings.Trim(element, " \t")
		if value, found := strings.CutPrefix(element, "t="); found {
			timestamps = append(timestamps, value)
		} else if value, found := strings.CutPrefix(element, "v1="); found {
			signatures = append(signatures, value)
		}
	}
	switch {
	case len(timestamps) == 0:
		return "", nil, malformed("it has no t")
	case len(timestamps) > 1:
		return "", nil, malformed("it has more than one t")
	case !timePattern.MatchString(timestamps[0]):
		return "", nil, malformed("t is not a number of seconds")
	case len(signatures) == 0:
		return "", nil, malformed("it has no v1")
	}
	return timestamps[0], signatures, nil
}

func malformed(why string) error {
	return &WebhookError{WebhookMalformedHeader, fmt.Sprintf(
		`The header %s is malformed: %s. It looks like "t=1700000000,v1=<64 hexadecimal digits>".`, SignatureHeader, why)}
}

// Checks both directions: with a time far in the future, a signature would stay valid for long.
func (v WebhookVerifier) checkTime(timestamp string) error {
	tolerance := ToleranceDefault
	if v.Tolerance != nil {
		tolerance = *v.Tolerance
	}
	if tolerance < 0 {
		return errors.New("vidimus: the tolerance must not be negative")
	}
	now := time.Now
	if v.Now != nil {
		now = v.Now
	}
	signed, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return malformed("t is not a number of seconds")
	}
	apart := now().Unix() - signed
	direction := "ago"
	if apart < 0 {
		apart, direction = -apart, "ahead"
	}
	// Compares seconds, because the duration to a distant time would overflow.
	if apart > int64(tolerance/time.Second) {
		return &WebhookError{WebhookOutsideTolerance, fmt.Sprintf(
			"The signature was made at t=%d, %d seconds %s, and %s are tolerated. Is the clock of this machine right? If so, this may "+
				"be a replayed request.", signed, apart, direction, tolerance)}
	}
	return nil
}

// Lower-case hex HMAC-SHA256 over "<t>." and the body; the key is the whole secret, prefix included.
func signature(secret, timestamp string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(timestamp + "."))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

func parsePayload(body []byte) (*Event, error) {
	noEvent := &WebhookError{WebhookMalformedPayload, "The signature is right, but the body is not an event."}
	var kind struct {
		Type string `json:"type"`
	}
	if !utf8.Valid(body) || json.Unmarshal(body, &kind) != nil || kind.Type == "" {
		return nil, noEvent
	}
	event := &Event{Type: kind.Type, Payload: append(json.RawMessage(nil), body...)}
	if !isKnownEvent(kind.Type) {
		return event, nil
	}
	var known struct {
		Verification *Verification `json:"verification"`
		SentAt       time.Time     `json:"sent_at"`
	}
	if json.Unmarshal(body, &known) != nil || known.Verification == nil || !known.Verification.isWhole() || known.SentAt.IsZero() {
		return nil, noEvent
	}
	event.Verification, event.SentAt = known.Verification, known.SentAt
	return event, nil
}
