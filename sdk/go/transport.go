package vidimus

import (
	"bytes"
	"context"
	crand "crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"syscall"
	"time"
	"unicode/utf8"
)

// transport sends one call and retries it if that is safe. It has the key and never shows it.
type transport struct {
	baseURL string
	apiKey  string
	client  *http.Client
	timeout time.Duration
	terms   retryTerms
	sleep   func(context.Context, time.Duration) error
	now     func() time.Time
}

type call struct {
	method         string
	path           string
	query          url.Values
	body           any
	idempotencyKey string
	// The call is idempotent, so it may be retried.
	repeatable bool
	// Sent without the key.
	anonymous bool
}

func (t *transport) send(ctx context.Context, c call, answer checked) error {
	var body []byte
	if c.body != nil {
		var err error
		if body, err = json.Marshal(c.body); err != nil {
			return fmt.Errorf("vidimus: the request cannot be written as JSON: %w", err)
		}
	}
	for attempt := 1; ; attempt++ {
		err := t.attempt(ctx, c, body, answer)
		var refused *Error
		if err == nil || !errors.As(err, &refused) {
			return err
		}
		wait, may := waitBeforeRetry(refused, attempt, c.repeatable, t.terms, chance())
		if !may {
			return err
		}
		if err := t.sleep(ctx, wait); err != nil {
			return err
		}
	}
}

func (t *transport) attempt(ctx context.Context, c call, body []byte, answer checked) error {
	limited, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	address := t.baseURL + c.path
	if len(c.query) > 0 {
		address += "?" + c.query.Encode()
	}
	request, err := http.NewRequestWithContext(limited, c.method, address, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("vidimus: the request cannot be made: %w", err)
	}
	accept := "application/json"
	if _, isText := answer.(*textAnswer); isText {
		accept = "*/*"
	}
	request.Header.Set("Accept", accept)
	request.Header.Set("User-Agent", "vidimus-go/0.1.0")
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if !c.anonymous {
		request.Header.Set("Authorization", "Bearer "+t.apiKey)
	}
	if c.idempotencyKey != "" {
		request.Header.Set("Idempotency-Key", c.idempotencyKey)
	}
	response, err := t.client.Do(request)
	if err != nil {
		return t.connectionError(ctx, limited, err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return t.connectionError(ctx, limited, err)
	}
	return readAnswer(response, text, answer)
}

// connectionError uses only the system's error name (ECONNREFUSED), because the error itself may contain the request.
func (t *transport) connectionError(ctx, limited context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if limited.Err() != nil {
		return &Error{Code: CodeTimeout, Message: fmt.Sprintf("No answer within %s.", t.timeout)}
	}
	reason := ""
	var number syscall.Errno
	if errors.As(err, &number) {
		reason = " (" + number.Error() + ")"
	}
	return &Error{Code: CodeConnectionFailed, Message: "The service was not reached" + reason + "."}
}

func readAnswer(response *http.Response, text []byte, answer checked) error {
	good := response.StatusCode >= 200 && response.StatusCode < 300
	if good && utf8.Valid(text) && readInto(answer, text) == nil && answer.isWhole() {
		return nil
	}
	failure := &Error{Status: response.StatusCode, RequestID: response.Header.Get("Request-Id")}
	failure.RetryAfter, failure.HasRetryAfter = secondsOf(response.Header.Get("Retry-After"))
	var envelope struct {
		Error struct {
			Code    Code    `json:"code"`
			Message *string `json:"message"`
		} `json:"error"`
	}
	err := json.Unmarshal(text, &envelope)
	if !good && err == nil && envelope.Error.Code != "" && envelope.Error.Message != nil {
		failure.Code, failure.Message = envelope.Error.Code, *envelope.Error.Message
		return failure
	}
	failure.Code = CodeUnexpectedAnswer
	failure.Message = fmt.Sprintf("The answer (HTTP %d) is not one of the service's. Is the base address right?", response.StatusCode)
	return failure
}

// textAnswer is an answer that is not JSON. It is complete if it has the form.
type textAnswer struct {
	form *regexp.Regexp
	text string
}

func (t *textAnswer) isWhole() bool {
	if t.form.MatchString(t.text) {
		return true
	}
	t.text = ""
	return false
}

func readInto(answer checked, text []byte) error {
	if plain, isText := answer.(*textAnswer); isText {
		plain.text = string(text)
		return nil
	}
	return json.Unmarshal(text, answer)
}

func secondsOf(header string) (time.Duration, bool) {
	seconds, err := strconv.ParseUint(header, 10, 30)
	return time.Duration(seconds) * time.Second, err == nil
}

func chance() float64 {
	var bits [4]byte
	if _, err := crand.Read(bits[:]); err != nil {
		// Without randomness there is no jitter, but the call need not fail.
		return 0.5
	}
	return float64(binary.BigEndian.Uint32(bits[:])) / (1 << 32)
}

func sleep(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
