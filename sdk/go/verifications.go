package vidimus

import (
	"context"
	crand "crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const verificationsPath = "/v1/verifications"

// Verifications asks, waits, reads, redeems, cancels, lists and erases.
type Verifications struct{ transport *transport }

// NewVerification says what to ask: exactly one of Template and Query.
type NewVerification struct {
	Template string `json:"template,omitempty"`
	// Query is in DCQL.
	Query map[string]any `json:"query,omitempty"`
	// Purpose is why the data is asked for; shown to the holder.
	Purpose string `json:"purpose,omitempty"`
	// Metadata is echoed on results and webhooks.
	Metadata    map[string]string `json:"metadata,omitempty"`
	TTLSeconds  int               `json:"ttl_seconds,omitempty"`
	RedirectURL string            `json:"redirect_url,omitempty"`
	WebhookURL  string            `json:"webhook_url,omitempty"`
	// Origin is that of your own page that asks through the browser.
	Origin string `json:"origin,omitempty"`
	// IntendedUse names the registration to ask under, where the template names none.
	IntendedUse string `json:"intended_use,omitempty"`
	// BrowserBinding is "first" (the first browser that opens the hosted page holds it) or "none"; empty: your setting.
	BrowserBinding string `json:"browser_binding,omitempty"`
	// Transaction is what the holder is to agree to: objects with "type" and the members of the type.
	Transaction []map[string]any `json:"transaction,omitempty"`

	// IdempotencyKey: name your own, such as the order's number, to have a crash or a double click create nothing twice.
	// Without one each call is another verification, however often it is retried inside.
	IdempotencyKey string `json:"-"`
}

var idempotencyPattern = regexp.MustCompile(`\A[\x21-\x7e]{1,255}\z`)

// Create asks.
func (v *Verifications) Create(ctx context.Context, request NewVerification) (*Verification, error) {
	if (request.Template == "") == (request.Query == nil) {
		return nil, errors.New("vidimus: give exactly one of Template and Query")
	}
	key, err := idempotencyKeyOr(request.IdempotencyKey)
	if err != nil {
		return nil, err
	}
	return exchange[Verification](ctx, v.transport, call{
		method: http.MethodPost, path: verificationsPath, body: request, idempotencyKey: key, repeatable: true,
	})
}

// idempotencyKeyOr checks the caller's key, or makes one.
func idempotencyKeyOr(key string) (string, error) {
	if key == "" {
		var bits [16]byte
		if _, err := crand.Read(bits[:]); err != nil {
			return "", fmt.Errorf("vidimus: no randomness for an idempotency key: %w", err)
		}
		key = hex.EncodeToString(bits[:])
	}
	if !idempotencyPattern.MatchString(key) {
		return "", errors.New("vidimus: an idempotency key is 1 to 255 printable ASCII characters without spaces")
	}
	return key, nil
}

// Get reads one.
func (v *Verifications) Get(ctx context.Context, id string) (*Verification, error) {
	path, err := pathOf(verificationsPath, id)
	if err != nil {
		return nil, err
	}
	return get[Verification](ctx, v.transport, path)
}

// Status reads the status alone; it needs no key and never tells a claim.
func (v *Verifications) Status(ctx context.Context, id string) (*StatusAnswer, error) {
	path, err := pathOf(verificationsPath, id)
	if err != nil {
		return nil, err
	}
	return exchange[StatusAnswer](ctx, v.transport, call{
		method: http.MethodGet, path: path + "/status", repeatable: true, anonymous: true,
	})
}

// Redeem exchanges the response_code of a redirect, once. Not repeated: a code that was spent stays spent.
func (v *Verifications) Redeem(ctx context.Context, id, responseCode string) (*Verification, error) {
	path, err := pathOf(verificationsPath, id)
	if err != nil {
		return nil, err
	}
	body := map[string]string{"response_code": responseCode}
	return exchange[Verification](ctx, v.transport, call{method: http.MethodPost, path: path + "/redeem", body: body})
}

// Cancel ends a pending one now: it is expired. After an answer: CodeSessionAlreadyResponded.
func (v *Verifications) Cancel(ctx context.Context, id string) (*Verification, error) {
	path, err := pathOf(verificationsPath, id)
	if err != nil {
		return nil, err
	}
	return exchange[Verification](ctx, v.transport, call{method: http.MethodPost, path: path + "/cancel", repeatable: true})
}

// Forget has claims and credentials forgotten, and keeps that it was.
func (v *Verifications) Forget(ctx context.Context, id string) (*Verification, error) {
	path, err := pathOf(verificationsPath, id)
	if err != nil {
		return nil, err
	}
	return exchange[Verification](ctx, v.transport, call{method: http.MethodPost, path: path + "/forget", repeatable: true})
}

// Verdict reads yes or no, also where only you can read the claims.
func (v *Verifications) Verdict(ctx context.Context, id string) (*VerdictAnswer, error) {
	path, err := pathOf(verificationsPath, id)
	if err != nil {
		return nil, err
	}
	return get[VerdictAnswer](ctx, v.transport, path+"/verdict")
}

// Receipt reads the signed receipt (a JWS) of one that has ended; also after its erasure.
func (v *Verifications) Receipt(ctx context.Context, id string) (string, error) {
	return v.text(ctx, id, "/receipt", receiptForm)
}

// ReceiptProof reads the file that shows the receipt to be in the public log. In its first minute: CodeUnavailable.
func (v *Verifications) ReceiptProof(ctx context.Context, id string) (string, error) {
	return v.text(ctx, id, "/receipt.tlog-proof", proofForm)
}

// Certificate reads a certificate (PDF, one page) for people, without personal data, in a language ("" is English). In its first
// minute: CodeUnavailable.
func (v *Verifications) Certificate(ctx context.Context, id, language string) ([]byte, error) {
	path, err := pathOf(verificationsPath, id)
	if err != nil {
		return nil, err
	}
	query := url.Values{}
	if language != "" {
		query.Set("language", language)
	}
	answer := &textAnswer{form: pdfForm}
	err = v.transport.send(ctx, call{method: http.MethodGet, path: path + "/certificate", query: query, repeatable: true}, answer)
	if err != nil {
		return nil, err
	}
	return []byte(answer.text), nil
}

var (
	pdfForm     = regexp.MustCompile(`\A%PDF-`)
	receiptForm = regexp.MustCompile(`\A[\w-]+\.[\w-]+\.[\w-]+\z`)
	proofForm   = regexp.MustCompile(`\Ac2sp\.org/tlog-proof@v1\n`)
)

func (v *Verifications) text(ctx context.Context, id, end string, form *regexp.Regexp) (string, error) {
	path, err := pathOf(verificationsPath, id)
	if err != nil {
		return "", err
	}
	answer := &textAnswer{form: form}
	err = v.transport.send(ctx, call{method: http.MethodGet, path: path + end, repeatable: true}, answer)
	return answer.text, err
}

// Transaction reads what the holder was to agree to, as it was sent, and that exactly this was signed.
func (v *Verifications) Transaction(ctx context.Context, id string) (*TransactionAnswer, error) {
	path, err := pathOf(verificationsPath, id)
	if err != nil {
		return nil, err
	}
	return get[TransactionAnswer](ctx, v.transport, path+"/transaction")
}

// Diagnostics reads how it went: the channel of the answer and the outcome of each check; no claims.
func (v *Verifications) Diagnostics(ctx context.Context, id string) (*DiagnosticsAnswer, error) {
	path, err := pathOf(verificationsPath, id)
	if err != nil {
		return nil, err
	}
	return get[DiagnosticsAnswer](ctx, v.transport, path+"/diagnostics")
}

// CollectEvidence takes the evidence bundle, encrypted to you, where it is switched on. Handed out once, and not repeated.
func (v *Verifications) CollectEvidence(ctx context.Context, id string) (*EvidenceDelivery, error) {
	path, err := pathOf(verificationsPath, id)
	if err != nil {
		return nil, err
	}
	return exchange[EvidenceDelivery](ctx, v.transport, call{method: http.MethodPost, path: path + "/evidence"})
}

// Erase deletes it and everything derived from it, for good. After a broken connection the retry may find it gone:
// CodeSessionNotFound then means that it is erased.
func (v *Verifications) Erase(ctx context.Context, id string) (*ErasureResult, error) {
	path, err := pathOf(verificationsPath, id)
	if err != nil {
		return nil, err
	}
	return exchange[ErasureResult](ctx, v.transport, call{method: http.MethodDelete, path: path, repeatable: true})
}

// HostedURL is the page of the service that shows the holder the question, a QR code and a button.
func (v *Verifications) HostedURL(id string) (string, error) {
	path, err := pathOf("/verify", id)
	return v.transport.baseURL + path, err
}

// ListOptions: a Limit of 0 is the service's own; a zero Before is from the newest on; an empty Status is any. With a
// Status, a page can be shorter than its limit while older ones exist.
type ListOptions struct {
	Limit  int
	Before time.Time
	Status Status
}

func (o ListOptions) query() url.Values {
	query := url.Values{}
	if o.Limit != 0 {
		query.Set("limit", strconv.Itoa(o.Limit))
	}
	if !o.Before.IsZero() {
		query.Set("before", instantText(&o.Before))
	}
	if o.Status != "" {
		query.Set("status", string(o.Status))
	}
	return query
}

// List reads one page, newest first. Before is the CreatedAt of the last one of a page.
func (v *Verifications) List(ctx context.Context, options ListOptions) ([]Verification, error) {
	answer, err := exchange[page[Verification]](ctx, v.transport, call{
		method: http.MethodGet, path: verificationsPath, query: options.query(), repeatable: true,
	})
	if err != nil {
		return nil, err
	}
	for i := range answer.Data {
		if !answer.Data[i].isWhole() {
			return nil, &Error{Code: CodeUnexpectedAnswer, Message: "The list holds what is no verification.", Status: 200}
		}
	}
	return answer.Data, nil
}

// pathOf: an empty id would turn a read into a list; dots would lead to another route.
func pathOf(base, id string) (string, error) {
	if strings.Trim(id, ".") == "" {
		return "", errors.New("vidimus: the id is missing")
	}
	return base + "/" + url.PathEscape(id), nil
}
