package vidimus

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestARefusalNamesTheRequest(t *testing.T) {
	w := newWorld(t)
	for code, status := range map[Code]int{CodeQuotaExceeded: 429, CodeUnknownTemplate: 422, CodeInternalError: 500, "a_code_of_later": 418} {
		w.script = []answer{refusal(status, string(code), map[string]string{"Request-Id": "req_1", "Retry-After": "9"})}
		_, err := w.client(WithRetries(0, 0)).Usage(background)
		refused := assertCode(t, err, code, status)
		assertEqual(t, []any{refused.RequestID, refused.RetryAfter, refused.HasRetryAfter}, []any{"req_1", 9 * time.Second, true})
		assertEqual(t, refused.Error(), fmt.Sprintf("vidimus: %s: no (req_1)", code))
	}
}

func TestNoAnswer(t *testing.T) {
	w := newWorld(t)
	w.script = []answer{{silent: true}}
	_, err := w.client(WithRetries(0, 0), WithTimeout(50*time.Millisecond)).Usage(background)
	assertCode(t, err, CodeTimeout, 0)
	ended, cancel := context.WithCancel(background)
	cancel()
	if _, err := w.client().Usage(ended); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	gone := httptest.NewServer(nil)
	gone.Close()
	client, err := New(gone.URL, testKey, WithRetries(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Usage(background)
	if refused := assertCode(t, err, CodeConnectionFailed, 0); !strings.Contains(refused.Message, "refused") {
		t.Error(refused.Message)
	}
}

func TestARedirectIsNotFollowed(t *testing.T) {
	w := newWorld(t)
	w.script = []answer{{status: 302, headers: map[string]string{"Location": w.server.URL + "/elsewhere"}}}
	own := &http.Client{}
	_, err := w.client(WithHTTPClient(own)).Usage(background)
	assertCode(t, err, CodeUnexpectedAnswer, 302)
	assertEqual(t, len(w.requests), 1)
	if own.CheckRedirect != nil {
		t.Error("the caller's own client was changed")
	}
}

func TestAMalformedAnswerIsRefused(t *testing.T) {
	w := newWorld(t)
	for _, one := range []answer{
		{status: 200, text: "<html>"}, {status: 200, text: "[]"}, {status: 200, text: "{}"}, {status: 200, text: "null"}, {status: 200, text: "\xff"},
		{status: 200, body: verification(object{"id": nil})}, {status: 200, body: verification(object{"claims": []int{1}})},
		{status: 200, body: verification(object{"created_at": "yesterday"})}, {status: 404, text: "<html>"},
		{status: 404, body: object{"error": object{"code": 1, "message": "x"}}}, {status: 404, body: object{"error": object{"code": "x"}}},
	} {
		w.script = []answer{one}
		_, err := w.client().Verifications.Get(background, "ver_1")
		assertCode(t, err, CodeUnexpectedAnswer, one.status)
	}
	w.script = []answer{{status: 200, body: object{"data": []object{{}}}}, {status: 200, text: "{}"}}
	for range [2]int{} {
		_, err := w.client().Verifications.List(background, ListOptions{})
		assertCode(t, err, CodeUnexpectedAnswer, 200)
	}
}

func TestNewerFieldsAndStatusesAreAccepted(t *testing.T) {
	w := newWorld(t)
	credential := object{"format": "jwt_of_later", "doctype_or_vct": "x", "claims": object{}, "issuer": object{"later": 1}, "findings": []object{}}
	w.script = []answer{{status: 200, body: verification(object{"status": "reviewing", "later": object{"a": 1}, "credentials": []object{credential}})}}
	read, err := w.client().Verifications.Get(background, "ver_1")
	if err != nil || read.Status != "reviewing" || read.Credentials[0].Trusted || !strings.Contains(string(read.Raw), `"later":{"a":1}`) {
		t.Error(read, err)
	}
}

func TestInvalidOptionsAreReportedWithoutTheKey(t *testing.T) {
	for _, bad := range []string{"", "vk_", "sk_live_abc", testKey + "\n", " " + testKey} {
		if _, err := New("https://x", bad); err == nil || strings.Contains(err.Error(), testKey) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	for _, bad := range []string{"", "verify.example.com", "ftp://x", "https://user:pass@x", "https://x/?a=b", "https://x#y", "https://x:y", "http://", "https://x\n"} {
		if _, err := New(bad, testKey); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
	for _, option := range []Option{WithTimeout(0), WithRetries(-1, 0), WithRetries(0, -1), WithHTTPClient(nil)} {
		if _, err := New("https://x", testKey, option); err == nil {
			t.Error("an invalid option was accepted")
		}
	}
}

func TestNeitherClientNorErrorsShowTheKey(t *testing.T) {
	w := newWorld(t)
	client := w.client()
	w.script = []answer{{broken: true}}
	_, err := client.Verifications.Redeem(background, "ver_1", "secret-code")
	shown := fmt.Sprintf("%v %+v %#v %+v %+v %+v %#v", client, client, client, client.Verifications, *client, err, err)
	if strings.Contains(shown, testKey) || strings.Contains(shown, "secret-code") {
		t.Error(shown)
	}
}

func TestAPrintedVerificationShowsNeitherClaimsNorMetadata(t *testing.T) {
	claims := map[string]any{"family_name": "Mustermann"}
	shown := Verification{ID: "ver_1", Claims: claims, Metadata: map[string]string{"who": "Mustermann"}, Raw: []byte("Mustermann")}
	credential := CredentialResult{Format: "dc+sd-jwt", Claims: claims}
	shown.Credentials = []CredentialResult{credential}
	text := fmt.Sprintf("%v %+v %#v %v %+v %#v", shown, []Verification{shown}, &shown, credential, &credential, credential)
	if strings.Contains(text, "Mustermann") || strings.Contains(text, "77 117 115 116") || !strings.Contains(text, "ver_1") {
		t.Error(text)
	}
}
