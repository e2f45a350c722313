package vidimus

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// The cases that all languages share: sdk/cases.
func loadCases[T any](t *testing.T, name string) []T {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "cases", name))
	if err != nil {
		t.Fatal(err)
	}
	var cases []T
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) <= 20 {
		t.Fatalf("only %d cases in %s", len(cases), name)
	}
	return cases
}

type webhookCase struct {
	Name      string
	Expect    map[string]any
	Body      []byte
	Header    string
	Secrets   []string
	Now       int64
	Tolerance *int64
}

func (c webhookCase) outcome(t *testing.T) map[string]any {
	verifier := WebhookVerifier{Secrets: c.Secrets, Now: func() time.Time { return time.Unix(c.Now, 900_000_000) }}
	if c.Tolerance != nil {
		tolerance := time.Duration(*c.Tolerance) * time.Second
		verifier.Tolerance = &tolerance
	}
	event, err := verifier.Verify(c.Body, c.Header)
	var refused *WebhookError
	if errors.As(err, &refused) {
		return map[string]any{"code": string(refused.Code)}
	}
	if err != nil {
		t.Fatal(err)
	}
	if event.Verification == nil {
		return map[string]any{"type": event.Type, "id": nil}
	}
	return map[string]any{"type": event.Type, "id": event.Verification.ID, "status": string(event.Verification.Status)}
}

func TestWebhookCases(t *testing.T) {
	for _, c := range loadCases[webhookCase](t, "webhooks.json") {
		t.Run(c.Name, func(t *testing.T) {
			if got := c.outcome(t); !reflect.DeepEqual(got, c.Expect) {
				t.Errorf("got %v, expected %v", got, c.Expect)
			}
		})
	}
}

func TestSignsAsTheServiceDoes(t *testing.T) {
	c := loadCases[webhookCase](t, "webhooks.json")[0]
	header, err := SignWebhook(c.Body, time.Unix(c.Now, 900_000_000), c.Secrets...)
	if err != nil || header != c.Header {
		t.Errorf("%q %v", header, err)
	}
	header, err = SignWebhook(c.Body, time.Now(), c.Secrets...)
	if err != nil {
		t.Fatal(err)
	}
	if event, err := VerifyWebhook(c.Body, header, c.Secrets...); err != nil || event.Type != EventCompleted {
		t.Errorf("%v %v", event, err)
	}
	negative := -time.Second
	if _, err := (WebhookVerifier{Secrets: c.Secrets, Tolerance: &negative}).Verify(c.Body, header); err == nil {
		t.Error("a negative tolerance was accepted")
	}
}

func TestRetryCases(t *testing.T) {
	type retryCase struct {
		Name  string
		Error struct {
			Code       Code
			Status     int
			RetryAfter *int `json:"retry_after"`
		}
		Call struct {
			Attempt    int
			Repeatable bool
		}
		Terms struct {
			Retries     int
			LongestWait float64 `json:"longest_wait"`
		}
		Expect *struct{ Least, Most float64 }
	}
	for _, c := range loadCases[retryCase](t, "retries.json") {
		for _, chance := range []float64{0, 0.5, 0.999999} {
			refused := &Error{Code: c.Error.Code, Status: c.Error.Status}
			if c.Error.RetryAfter != nil {
				refused.RetryAfter, refused.HasRetryAfter = time.Duration(*c.Error.RetryAfter)*time.Second, true
			}
			terms := retryTerms{c.Terms.Retries, time.Duration(c.Terms.LongestWait * float64(time.Second))}
			wait, may := waitBeforeRetry(refused, c.Call.Attempt, c.Call.Repeatable, terms, chance)
			if may != (c.Expect != nil) || (may && (wait.Seconds() < c.Expect.Least || wait.Seconds() > c.Expect.Most)) {
				t.Errorf("%s: %v %v", c.Name, wait, may)
			}
		}
	}
}

func TestResultCases(t *testing.T) {
	type resultCase struct {
		Name         string
		Expect       map[string]any
		Verification Verification
		Keys         []ResultKey
		AcceptClear  bool `json:"accept_clear"`
	}
	for _, c := range loadCases[resultCase](t, "results.json") {
		t.Run(c.Name, func(t *testing.T) {
			got := map[string]any{"claims": map[string]any{}, "credentials": []any{}}
			opened, err := ResultOpener{Keys: c.Keys, AcceptClear: c.AcceptClear}.Open(&c.Verification)
			var refused *ResultError
			switch {
			case errors.As(err, &refused):
				got = map[string]any{"code": string(refused.Code)}
			case err != nil:
				t.Fatal(err)
			default:
				if opened.Claims != nil {
					got["claims"] = opened.Claims
				}
				credentials := []any{}
				for _, credential := range opened.Credentials {
					credentials = append(credentials, credential.Claims)
				}
				got["credentials"] = credentials
			}
			if !reflect.DeepEqual(got, c.Expect) {
				t.Errorf("got %v, expected %v", got, c.Expect)
			}
		})
	}
}

func TestOpensAnEventAndKeepsKeysOutOfLogs(t *testing.T) {
	if _, err := OpenResult(nil); err == nil {
		t.Error("an event that is newer than this library has no verification to open")
	}
	key := ResultKey{Kty: "EC", Crv: "P-256", X: "x", Y: "y", D: "secret"}
	if text := fmt.Sprintf("%v %+v %#v %s", key, []ResultKey{key}, key, &key); strings.Contains(text, "secret") {
		t.Error(text)
	}
}
