// Calls every route like a merchant's program. service/test/sdk starts it and acts as the wallet; both exchange lines of JSON.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"reflect"
	"strconv"
	"strings"
	"time"

	"vidimus"
)

type object = map[string]any

var (
	ctx     = context.Background()
	base    = os.Getenv("VIDIMUS_URL")
	key     = os.Getenv("VIDIMUS_API_KEY")
	secret  = os.Getenv("VIDIMUS_WEBHOOK_SECRET")
	replies = bufio.NewReader(os.Stdin)
	client  = newClient(key)
	age     = vidimus.NewVerification{Template: "age_over_18"}
)

func main() {
	result, code := createAndWait()
	redeemAndRead(result, code)
	listAndCancel(result)
	links()
	devices()
	refusals(result)
	tls()
	webhooks()
	check(must(client.Verifications.Erase(ctx, result.ID)).Deleted["verification_sessions"] == 1)
	_, err := client.Verifications.Get(ctx, result.ID)
	refused(err, vidimus.CodeSessionNotFound, 404)
	check(must(client.Verifications.Receipt(ctx, result.ID)) != "", "the receipt outlives it")
	did("erase")
}

func createAndWait() (*vidimus.Verification, string) {
	order := vidimus.NewVerification{
		Template:       "age_over_18",
		Purpose:        "To sell you wine",
		Metadata:       map[string]string{"order": "17"},
		RedirectURL:    "https://shop.example/done",
		IdempotencyKey: "order-17",
	}
	created := must(client.Verifications.Create(ctx, order))
	check(created.Status == vidimus.StatusPending && created.Purpose == "To sell you wine", created)
	check(must(client.Verifications.Create(ctx, order)).ID == created.ID, "the same key is the same verification")
	_, err := client.Verifications.Create(ctx, vidimus.NewVerification{Template: "identity", IdempotencyKey: "order-17"})
	refused(err, vidimus.CodeIdempotencyKeyReused, 422)
	page := ask("open", object{"url": must(client.Verifications.HostedURL(created.ID))})
	check(page["status"] == 200.0 && strings.HasPrefix(page["type"].(string), "text/html"), page)
	did("create")

	// The holder answers while we pause between two polls.
	var redirects []string
	answerMeanwhile := func(context.Context, time.Duration) error {
		redirects = append(redirects, ask("present", object{"wallet_uri": created.WalletURI})["redirect_uri"].(string))
		return nil
	}
	waiting := newClient(key, vidimus.WithClock(answerMeanwhile, time.Now))
	result := must(waiting.Verifications.Wait(ctx, created.ID))
	check(len(redirects) == 1 && result.Status == vidimus.StatusCompleted, result)
	check(reflect.DeepEqual(result.Claims, object{"age_over_18": true}) && result.Metadata["order"] == "17", result)
	check(result.Credentials[0].Trusted && result.Credentials[0].SignatureValid, result)
	did("wait")
	return result, strings.TrimPrefix(must(url.Parse(redirects[0])).Fragment, "response_code=")
}

func redeemAndRead(result *vidimus.Verification, code string) {
	check(reflect.DeepEqual(must(client.Verifications.Redeem(ctx, result.ID, code)), result))
	_, err := client.Verifications.Redeem(ctx, result.ID, code)
	refused(err, vidimus.CodeInvalidResponseCode, 404)
	did("redeem")
	check(reflect.DeepEqual(must(client.Verifications.Get(ctx, result.ID)), result))
	check(must(client.Verifications.Status(ctx, result.ID)).Status == vidimus.StatusCompleted)
	did("read")
	receipt := must(client.Verifications.Receipt(ctx, result.ID))
	ask("grow", object{})
	proof := must(client.Verifications.ReceiptProof(ctx, result.ID))
	check(strings.Count(receipt, ".") == 2 && strings.HasPrefix(proof, "c2sp.org/tlog-proof@v1\n"), receipt, proof)
	diagnostics := must(client.Verifications.Diagnostics(ctx, result.ID))
	check(diagnostics.Channel != nil && *diagnostics.Channel == "redirect", diagnostics)
	check(len(diagnostics.Credentials) == 1 && len(diagnostics.Credentials[0].Checks) > 5, diagnostics)
	check(diagnostics.Credentials[0].Checks[0].Outcome == "passed", diagnostics)
	did("diagnostics")
	_, err = client.Verifications.CollectEvidence(ctx, result.ID)
	refused(err, vidimus.CodeEvidenceNotFound, 404)
	did("evidence")
}

func listAndCancel(result *vidimus.Verification) {
	expected := []string{result.ID}
	for range [4]int{} {
		expected = append([]string{must(client.Verifications.Create(ctx, age)).ID}, expected...)
	}
	for _, size := range []int{1, 2, 5, 100} {
		var seen []string
		all := client.Verifications.All(vidimus.ListOptions{Limit: size})
		for all.Next(ctx) {
			seen = append(seen, all.Verification().ID)
		}
		check(all.Err() == nil && reflect.DeepEqual(seen, expected), size, seen, all.Err())
	}
	check(must(client.Verifications.List(ctx, vidimus.ListOptions{Limit: 1}))[0].ID == expected[0])
	named := must(client.Verifications.Create(ctx, vidimus.NewVerification{
		Template: "age_over_16", Metadata: map[string]string{"reference": "Order 8642"},
	})).ID
	found := must(client.Verifications.List(ctx, vidimus.ListOptions{Template: "age_over_16"}))
	check(len(found) == 1 && found[0].ID == named)
	found = must(client.Verifications.List(ctx, vidimus.ListOptions{Reference: "8642", Status: vidimus.StatusPending}))
	check(len(found) == 1 && found[0].ID == named)
	check(len(must(client.Verifications.List(ctx, vidimus.ListOptions{Reference: "8642", Status: vidimus.StatusFailed}))) == 0)
	ofTemplate := client.Verifications.All(vidimus.ListOptions{Template: "age_over_16"})
	check(ofTemplate.Next(ctx) && ofTemplate.Verification().ID == named && !ofTemplate.Next(ctx) && ofTemplate.Err() == nil)
	byReference := client.Verifications.All(vidimus.ListOptions{Reference: "8642"})
	check(!byReference.Next(ctx) && byReference.Err() != nil)
	did("list")
	check(must(client.Verifications.Cancel(ctx, expected[0])).Status == vidimus.StatusExpired)
	check(must(client.Verifications.Cancel(ctx, expected[0])).Status == vidimus.StatusExpired, "cancelling twice is not an error")
	_, err := client.Verifications.Cancel(ctx, result.ID)
	refused(err, vidimus.CodeSessionAlreadyResponded, 409)
	did("cancel")
}

func links() {
	ends := time.Now().AddDate(0, 0, 1)
	_, err := client.Links.Create(ctx, vidimus.NewLink{Template: "age_over_18", EndsAt: &ends})
	refused(err, vidimus.CodeInvalidRequest, 400)
	wanted := vidimus.NewLink{Template: "age_over_18", AnyNumber: true, Metadata: map[string]string{"order": "4711"}, IdempotencyKey: "link-1"}
	made := must(client.Links.Create(ctx, wanted))
	check(must(client.Links.Create(ctx, wanted)).URL == made.URL && made.Uses == nil && made.Opened == 0, made)
	check(*must(client.Links.Create(ctx, vidimus.NewLink{Template: "age_over_18", Uses: 3})).Uses == 3)
	check(*must(client.Links.Create(ctx, vidimus.NewLink{Template: "age_over_18"})).Uses == 1)
	check(must(client.Links.Get(ctx, made.ID)).Metadata["order"] == "4711")
	check(len(must(client.Links.List(ctx, vidimus.LinkListOptions{Limit: 2}))) == 2)
	check(must(client.Links.Revoke(ctx, made.ID)).State == "revoked")
	_, err = client.Links.Get(ctx, "lnk_unknown")
	refused(err, vidimus.CodeLinkNotFound, 404)
	did("links")
}

func devices() {
	registered := must(client.Devices.Register(ctx, vidimus.NewDevice{Name: "Till 9", AllowedTemplates: []string{"age_over_18"}}))
	pair := must(client.Devices.Enroll(ctx, registered.PairingCode))
	check(pair.Device.Status == "active", pair.Device)
	till := newClient(must(client.Devices.Refresh(ctx, pair.RefreshToken)).AccessToken)
	own := must(till.Verifications.Create(ctx, age))
	_, err := till.Verifications.Erase(ctx, own.ID)
	refused(err, vidimus.CodeInsufficientScope, 403)
	templates := must(till.Templates(ctx)).Data
	check(len(templates) == 1 && templates[0].Key == "age_over_18", templates)
	check(must(client.Devices.List(ctx))[0].ID == registered.Device.ID)
	check(must(client.Devices.Revoke(ctx, registered.Device.ID)).Status == "revoked")
	check(must(client.Devices.Revoke(ctx, registered.Device.ID)).Status == "revoked", "revoking twice is not an error")
	_, err = till.Verifications.Get(ctx, own.ID)
	refused(err, vidimus.CodeInvalidAPIKey, 401)
	did("devices")
	usage := must(client.Usage(ctx))
	check(usage.VerificationsCreated == 7 && usage.Remaining == usage.DailyQuota-7, usage)
	check(must(client.Templates(ctx)).Environment == "test")
	did("usage")
}

func refusals(result *vidimus.Verification) {
	_, err := newClient("vk_test_" + strings.Repeat("0", 38)).Usage(ctx)
	refused(err, vidimus.CodeInvalidAPIKey, 401)
	_, err = client.Verifications.Get(ctx, "ver_unknown")
	refused(err, vidimus.CodeSessionNotFound, 404)
	_, err = client.Verifications.Create(ctx, vidimus.NewVerification{Template: "no_such"})
	refused(err, vidimus.CodeUnknownTemplate, 422)
	_, err = client.Verifications.Create(ctx, vidimus.NewVerification{Template: "age_over_18", TTLSeconds: 1})
	refused(err, vidimus.CodeInvalidRequest, 400)
	_, err = newClient(os.Getenv("VIDIMUS_POOR_API_KEY")).Verifications.Create(ctx, age)
	check(refused(err, vidimus.CodeQuotaExceeded, 429).RetryAfter > time.Hour, err)
	did("refusals")

	impatient := newClient(key, vidimus.WithRetries(0, 0))
	err = nil
	for polls := must(strconv.Atoi(os.Getenv("VIDIMUS_POLLS"))) + 1; polls > 0 && err == nil; polls-- {
		_, err = impatient.Verifications.Status(ctx, result.ID)
	}
	check(refused(err, vidimus.CodeRateLimitExceeded, 429).RetryAfter >= time.Second, err)
	// A client that waits for as long as the service asks succeeds.
	var waits []time.Duration
	patient := newClient(key, vidimus.WithClock(func(_ context.Context, wait time.Duration) error {
		waits = append(waits, wait)
		ask("advance", object{"seconds": wait.Seconds()})
		return nil
	}, time.Now))
	check(must(patient.Verifications.Status(ctx, result.ID)).Status == vidimus.StatusCompleted)
	check(len(waits) == 1 && waits[0] >= time.Second, waits)
	did("retry-after")
}

// Sends nothing to a server whose certificate is untrusted or names another host.
func tls() {
	usageAt := func(name string) error {
		_, err := must(vidimus.New(os.Getenv(name), key, vidimus.WithRetries(0, 0))).Usage(ctx)
		return err
	}
	refused(usageAt("VIDIMUS_TRUSTED_URL"), vidimus.CodeInvalidAPIKey, 401)
	for _, name := range []string{"VIDIMUS_UNTRUSTED_URL", "VIDIMUS_MISNAMED_URL"} {
		var failure *vidimus.Error
		check(errors.As(usageAt(name), &failure) && failure.Code == vidimus.CodeConnectionFailed, name, failure)
	}
	did("tls")
}

type delivery struct {
	body   []byte
	header string
	now    int64
}

func (d delivery) verify(secrets ...string) (*vidimus.Event, error) {
	now := func() time.Time { return time.Unix(d.now, 0) }
	return vidimus.WebhookVerifier{Secrets: secrets, Now: now}.Verify(d.body, d.header)
}

func webhooks() {
	received := make(chan delivery, 1)
	// A minimal webhook endpoint.
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		received <- delivery{body: must(io.ReadAll(r.Body)), header: r.Header.Get(vidimus.SignatureHeader)}
		w.WriteHeader(http.StatusNoContent)
	}))
	defer receiver.Close()
	answered := func(scenario string) (*vidimus.Verification, delivery) {
		created := must(client.Verifications.Create(ctx, vidimus.NewVerification{Template: "age_over_18", WebhookURL: receiver.URL + "/hook"}))
		ask("present", object{"wallet_uri": created.WalletURI, "scenario": scenario})
		told := ask("deliver", nil)
		check(told["delivered"] == 1.0, told)
		got := <-received
		got.now = int64(told["now"].(float64))
		return must(client.Verifications.Get(ctx, created.ID)), got
	}

	read, good := answered("good")
	event := must(good.verify(secret))
	check(event.Type == vidimus.EventCompleted && reflect.DeepEqual(event.Verification, read), event)
	altered := delivery{[]byte(strings.Replace(string(good.body), "true", "True", 1)), good.header, good.now}
	refusedWebhook(altered, vidimus.WebhookNoSignatureMatches)
	refusedWebhook(delivery{good.body, good.header, good.now + 301}, vidimus.WebhookOutsideTolerance)
	refusedWebhook(delivery{good.body, "", good.now}, vidimus.WebhookMissingHeader)
	declined, other := answered("declined")
	check(must(other.verify(secret)).Type == vidimus.EventFailed)
	check(declined.Failure != nil && declined.Failure.Code == "wallet_declined", declined)
	// A genuine signature with another genuine body, and a replayed request.
	refusedWebhook(delivery{other.body, good.header, other.now}, vidimus.WebhookNoSignatureMatches)
	later := int64(ask("advance", object{"seconds": 3600})["now"].(float64))
	refusedWebhook(delivery{good.body, good.header, later}, vidimus.WebhookOutsideTolerance)
	did("webhook")

	fresh := ask("rotate", nil)["secret"].(string)
	_, both := answered("good")
	check(strings.Count(both.header, "v1=") == 2, both.header)
	for _, secrets := range [][]string{{fresh}, {secret}, {fresh, secret}} {
		check(must(both.verify(secrets...)).Verification != nil)
	}
	did("rotation")
}

func newClient(key string, options ...vidimus.Option) *vidimus.Client {
	return must(vidimus.New(base, key, options...))
}

func refused(err error, code vidimus.Code, status int) *vidimus.Error {
	var refusal *vidimus.Error
	check(errors.As(err, &refusal) && refusal.Code == code && refusal.Status == status, err)
	check(strings.HasPrefix(refusal.RequestID, "req_"), refusal.RequestID)
	return refusal
}

func refusedWebhook(d delivery, code vidimus.WebhookCode) {
	_, err := d.verify(secret)
	var refusal *vidimus.WebhookError
	check(errors.As(err, &refusal) && refusal.Code == code, err)
}

func tell(what object) {
	fmt.Println(string(must(json.Marshal(what))))
}

func did(step string) { tell(object{"did": step}) }

func ask(what string, more object) object {
	said := object{"ask": what}
	for name, value := range more {
		said[name] = value
	}
	tell(said)
	var reply object
	check(json.Unmarshal(must(replies.ReadBytes('\n')), &reply) == nil)
	return reply
}

func check(fact bool, what ...any) {
	if !fact {
		panic(fmt.Sprintln(append([]any{"not so:"}, what...)...))
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
