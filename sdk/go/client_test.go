package vidimus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"
)

const testKey = "vk_test_kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"

var background = context.Background()

type answer struct {
	status  int
	body    any
	text    string
	headers map[string]string
	broken  bool
	silent  bool
}

type request struct {
	method, uri string
	header      http.Header
	body        map[string]any
}

// world is a service with scripted answers over real connections, and a clock that does not wait.
type world struct {
	t        *testing.T
	server   *httptest.Server
	script   []answer
	requests []request
	waits    []time.Duration
	time     time.Time
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, time: time.Unix(0, 0)}
	ended := make(chan struct{})
	w.server = httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, in *http.Request) {
		text, _ := io.ReadAll(in.Body)
		var body map[string]any
		_ = json.Unmarshal(text, &body)
		w.requests = append(w.requests, request{in.Method, in.RequestURI, in.Header.Clone(), body})
		if len(w.script) == 0 {
			t.Errorf("nothing is scripted for %s", in.RequestURI)
			return
		}
		next := w.script[0]
		w.script = w.script[1:]
		if next.silent {
			<-ended
		}
		if next.broken || next.silent {
			panic(http.ErrAbortHandler)
		}
		for name, value := range next.headers {
			out.Header().Set(name, value)
		}
		out.WriteHeader(next.status)
		if next.text == "" && next.body != nil {
			_ = json.NewEncoder(out).Encode(next.body)
		} else {
			_, _ = io.WriteString(out, next.text)
		}
	}))
	t.Cleanup(func() {
		close(ended)
		w.server.Close()
	})
	return w
}

func (w *world) client(options ...Option) *Client {
	w.t.Helper()
	sleep := func(ctx context.Context, wait time.Duration) error {
		w.waits = append(w.waits, wait)
		w.time = w.time.Add(wait)
		return ctx.Err()
	}
	clock := WithClock(sleep, func() time.Time { return w.time })
	client, err := New(w.server.URL, testKey, append([]Option{clock}, options...)...)
	if err != nil {
		w.t.Fatal(err)
	}
	return client
}

type object = map[string]any

func verification(change object) object {
	made := object{"id": "ver_1", "status": "pending", "created_at": "2027-06-15T12:00:00.000001Z", "expires_at": "2027-06-15T12:05:00Z"}
	for name, value := range change {
		made[name] = value
	}
	return made
}

func refusal(status int, code string, headers map[string]string) answer {
	return answer{status: status, body: object{"error": object{"code": code, "message": "no"}}, headers: headers}
}

func assertCode(t *testing.T, err error, code Code, status int) *Error {
	t.Helper()
	var refused *Error
	if !errors.As(err, &refused) || refused.Code != code || refused.Status != status {
		t.Fatalf("got %v, expected %s %d", err, code, status)
	}
	return refused
}

func assertEqual(t *testing.T, got, expected any) {
	t.Helper()
	if !reflect.DeepEqual(got, expected) {
		t.Errorf("got %v, expected %v", got, expected)
	}
}

func TestSendsOnlyTheGivenFields(t *testing.T) {
	w := newWorld(t)
	w.script = []answer{{status: 201, body: verification(object{"wallet_uri": "openid4vp://x"})}}
	made, err := w.client().Verifications.Create(background, NewVerification{
		Template: "age_over_18", Purpose: "Grüße", Metadata: map[string]string{"order": "17"}, IdempotencyKey: "order-17",
		BrowserBinding: "none",
	})
	if err != nil || made.WalletURI != "openid4vp://x" {
		t.Fatal(made, err)
	}
	assertEqual(t, w.requests[0].method+" "+w.requests[0].uri, "POST /v1/verifications")
	given := object{"template": "age_over_18", "purpose": "Grüße", "metadata": object{"order": "17"}, "browser_binding": "none"}
	assertEqual(t, w.requests[0].body, given)
	for name, value := range map[string]string{
		"Authorization": "Bearer " + testKey, "Idempotency-Key": "order-17", "Content-Type": "application/json",
	} {
		assertEqual(t, w.requests[0].header.Get(name), value)
	}
}

func TestSendsTheKeyOnlyWhereItIsNeeded(t *testing.T) {
	w := newWorld(t)
	device := object{"id": "d", "name": "Till", "status": "active", "allowed_templates": []string{"a"}, "created_at": "2027-06-15T12:00:00Z"}
	pair := object{"access_token": "vd_1", "refresh_token": "vdr_1", "token_type": "Bearer", "expires_in": 9, "refresh_expires_in": 9, "device": device}
	w.script = []answer{{status: 200, body: object{"id": "ver_1", "status": "pending"}}, {status: 200, body: pair}, {status: 200, body: pair}}
	client := w.client()
	_, first := client.Verifications.Status(background, "ver_1")
	_, second := client.Devices.Enroll(background, "VD-AAAA-AAAA")
	_, third := client.Devices.Refresh(background, "vdr_0")
	if err := errors.Join(first, second, third); err != nil {
		t.Fatal(err)
	}
	for _, one := range w.requests {
		assertEqual(t, one.header.Get("Authorization"), "")
	}
}

func TestAnIDNeverBecomesAnotherRoute(t *testing.T) {
	w := newWorld(t)
	client := w.client()
	for _, bad := range []string{"", ".", ".."} {
		_, first := client.Verifications.Get(background, bad)
		_, second := client.Verifications.Erase(background, bad)
		_, third := client.Devices.Revoke(background, bad)
		_, fourth := client.Verifications.Wait(background, bad)
		if first == nil || second == nil || third == nil || fourth == nil {
			t.Errorf("%q was sent", bad)
		}
	}
	w.script = []answer{refusal(404, "session_not_found", nil)}
	_, err := client.Verifications.Get(background, "../usage?a=b#c")
	assertCode(t, err, CodeSessionNotFound, 404)
	assertEqual(t, w.requests[0].uri, "/v1/verifications/..%2Fusage%3Fa=b%23c")
	hosted, err := client.Verifications.HostedURL("ver_1/x")
	if err != nil || hosted != w.server.URL+"/verify/ver_1%2Fx" {
		t.Error(hosted, err)
	}
}

func TestInvalidInputIsNotSent(t *testing.T) {
	client := newWorld(t).client()
	for _, bad := range []NewVerification{
		{},
		{Template: "a", Query: object{}},
		{Template: "a", IdempotencyKey: "a b"},
		{Template: "a", IdempotencyKey: "a\nb"},
		{Template: "a", IdempotencyKey: "ä"},
		{Template: "a", IdempotencyKey: strings.Repeat("x", 256)},
	} {
		if _, err := client.Verifications.Create(background, bad); err == nil {
			t.Errorf("%+v was sent", bad)
		}
	}
}

func TestGoesThroughAllPages(t *testing.T) {
	w := newWorld(t)
	at := func(n int) object {
		return verification(object{"id": fmt.Sprint(n), "created_at": fmt.Sprintf("2027-06-15T12:00:00.00000%dZ", n)})
	}
	w.script = []answer{{status: 200, body: object{"data": []object{at(3), at(2)}}}, {status: 200, body: object{"data": []object{at(1)}}}}
	var seen []string
	all := w.client().Verifications.All(ListOptions{Limit: 2})
	for all.Next(background) {
		seen = append(seen, all.Verification().ID)
	}
	assertEqual(t, all.Err(), nil)
	assertEqual(t, seen, []string{"3", "2", "1"})
	assertEqual(t, w.requests[1].uri, "/v1/verifications?before=2027-06-15T12%3A00%3A00.000002Z&limit=2")
	failed := verification(object{"id": "2", "status": "failed", "created_at": "2027-06-15T12:00:00.000002Z"})
	w.script = []answer{{status: 200, body: object{"data": []object{at(3), failed, at(1)}}}}
	one := w.client().Verifications.All(ListOptions{Status: StatusFailed})
	if !one.Next(background) || one.Verification().ID != "2" || one.Next(background) {
		t.Error("All returned another status, or did not end")
	}
	assertEqual(t, w.requests[2].uri, "/v1/verifications?limit=100")
	w.script = []answer{refusal(401, "invalid_api_key", nil)}
	broken := w.client().Verifications.All(ListOptions{})
	if broken.Next(background) || broken.Next(background) {
		t.Error("an error is not a verification")
	}
	assertCode(t, broken.Err(), CodeInvalidAPIKey, 401)
}

func TestRetriesACreationWithTheSameKey(t *testing.T) {
	w := newWorld(t)
	w.script = []answer{
		{broken: true}, refusal(503, "unavailable", map[string]string{"Retry-After": "2"}),
		{status: 201, body: verification(nil)}, {status: 201, body: verification(nil)},
	}
	client := w.client()
	for range [2]int{} {
		if _, err := client.Verifications.Create(background, NewVerification{Template: "a"}); err != nil {
			t.Fatal(err)
		}
	}
	keys := map[string]int{}
	for _, one := range w.requests {
		keys[one.header.Get("Idempotency-Key")]++
	}
	assertEqual(t, []int{len(w.requests), len(keys), keys[w.requests[0].header.Get("Idempotency-Key")]}, []int{4, 2, 3})
	if w.waits[0] < 125*time.Millisecond || w.waits[0] > 250*time.Millisecond || w.waits[1] < 2*time.Second || w.waits[1] > 2250*time.Millisecond {
		t.Error(w.waits)
	}
}

func TestUnsafeCallsAreNotRetried(t *testing.T) {
	w := newWorld(t)
	client := w.client()
	for _, act := range []func() error{
		func() error { _, err := client.Verifications.Redeem(background, "ver_1", "c"); return err },
		func() error { _, err := client.Devices.Enroll(background, "VD-AAAA-AAAA"); return err },
		func() error { _, err := client.Devices.Refresh(background, "vdr_x"); return err },
		func() error { _, err := client.Devices.Register(background, NewDevice{Name: "Till"}); return err },
	} {
		// Also on a kept-alive connection.
		w.script = []answer{{status: 200, body: verification(nil)}, {broken: true}}
		w.requests = nil
		if _, err := client.Verifications.Get(background, "ver_1"); err != nil {
			t.Fatal(err)
		}
		assertCode(t, act(), CodeConnectionFailed, 0)
		assertEqual(t, len(w.requests), 2)
	}
}

func TestATruncatedAnswerIsRetried(t *testing.T) {
	w := newWorld(t)
	w.script = []answer{
		{status: 200, text: "{", headers: map[string]string{"Content-Length": "2"}}, {status: 200, body: verification(nil)},
	}
	read, err := w.client().Verifications.Get(background, "ver_1")
	if err != nil || read.ID != "ver_1" || len(w.requests) != 2 {
		t.Error(read, err, len(w.requests))
	}
}

func TestGivesUpAfterTheLastAttempt(t *testing.T) {
	w := newWorld(t)
	bad := answer{status: 502, text: "<h1>Bad gateway</h1>"}
	w.script = []answer{bad, bad, bad, bad}
	_, err := w.client().Usage(background)
	assertCode(t, err, CodeUnexpectedAnswer, 502)
	assertEqual(t, len(w.requests), 4)
}

func TestWaitPollsLessAndLessOften(t *testing.T) {
	w := newWorld(t)
	for i := 0; i < 10; i++ {
		w.script = append(w.script, answer{status: 200, body: object{"id": "ver_1", "status": "pending"}})
	}
	w.script = append(w.script, answer{status: 200, body: object{"id": "ver_1", "status": "a_state_of_later"}},
		answer{status: 200, body: verification(object{"status": "a_state_of_later"})})
	result, err := w.client().Verifications.Wait(background, "ver_1")
	if err != nil || result.Status != "a_state_of_later" {
		t.Fatal(result, err)
	}
	assertEqual(t, w.waits[:3], []time.Duration{time.Second, 1250 * time.Millisecond, 1562500 * time.Microsecond})
	assertEqual(t, w.waits[9], 5*time.Second)
	assertEqual(t, w.requests[11].uri, "/v1/verifications/ver_1")
}

func TestWaitSurvivesANetworkFailureAndHonoursRetryAfter(t *testing.T) {
	w := newWorld(t)
	w.script = []answer{
		{broken: true}, refusal(429, "rate_limit_exceeded", map[string]string{"Retry-After": "20"}),
		{status: 200, body: object{"id": "ver_1", "status": "completed"}}, {status: 200, body: verification(object{"status": "completed"})},
	}
	if _, err := w.client(WithRetries(0, 0)).Verifications.Wait(background, "ver_1"); err != nil {
		t.Fatal(err)
	}
	assertEqual(t, w.waits, []time.Duration{time.Second, 20 * time.Second})
}

func TestWaitEnds(t *testing.T) {
	w := newWorld(t)
	stopped, stop := context.WithCancel(background)
	client := w.client(WithClock(func(ctx context.Context, _ time.Duration) error { stop(); return ctx.Err() }, time.Now))
	w.script = []answer{{status: 200, body: object{"id": "ver_1", "status": "pending"}}}
	if _, err := client.Verifications.Wait(stopped, "ver_1"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	w.script = []answer{refusal(404, "session_not_found", nil)}
	_, err := client.Verifications.Wait(background, "ver_1")
	assertCode(t, err, CodeSessionNotFound, 404)
	for i := 0; i < 3; i++ {
		w.script = append(w.script, answer{status: 200, body: object{"id": "ver_1", "status": "pending"}})
	}
	late := time.Unix(0, 0)
	client = w.client(WithClock(func(context.Context, time.Duration) error { late = late.Add(33 * time.Minute); return nil }, func() time.Time { return late }))
	_, err = client.Verifications.Wait(background, "ver_1")
	assertCode(t, err, CodeTimeout, 0)
}
