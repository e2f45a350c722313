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

// Verifications calls the routes of verifications: create, wait, read, redeem, cancel, list and erase.
type Verifications struct{ transport *transport }

// NewVerification is a request for a verification. Set exactly one of Template and Query.
type NewVerification struct {
	Template string `json:"template,omitempty"`
	// Query is a DCQL query.
	Query map[string]any `json:"query,omitempty"`
	// Purpose tells the holder why you ask.
	Purpose string `json:"purpose,omitempty"`
	// Metadata is returned with results and webhooks.
	Metadata    map[string]string `json:"metadata,omitempty"`
	TTLSeconds  int               `json:"ttl_seconds,omitempty"`
	RedirectURL string            `json:"redirect_url,omitempty"`
	WebhookURL  string            `json:"webhook_url,omitempty"`
	// Origin is the origin of your page, if the page asks wallets through the browser API.
	Origin string `json:"origin,omitempty"`
	// IntendedUse selects the registration certificate, if the template does not.
	IntendedUse string `json:"intended_use,omitempty"`
	// BrowserBinding is "first" (only the first browser that opens the hosted page can use it) or "none"; empty: your setting.
	BrowserBinding string `json:"browser_binding,omitempty"`
	// Transaction is what the holder must confirm: objects with "type" and the members of the type.
	Transaction []map[string]any `json:"transaction,omitempty"`

	// IdempotencyKey prevents duplicates after a crash or a double click. Use a key of your own, such as the order number.
	// Without one, each call creates a new verification; the retries within a call do not.
	IdempotencyKey string `json:"-"`
}

var idempotencyPattern = regexp.MustCompile(`\A[\x21-\x7e]{1,255}\z`)

// Create creates a verification.
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

// idempotencyKeyOr checks the caller's key, or generates one.
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

// Get reads a verification.
func (v *Verifications) Get(ctx context.Context, id string) (*Verification, error) {
	path, err := pathOf(verificationsPath, id)
	if err != nil {
		return nil, err
	}
	return get[Verification](ctx, v.transport, path)
}

// Status reads only the status. It needs no key and never contains claims.
func (v *Verifications) Status(ctx context.Context, id string) (*StatusAnswer, error) {
	path, err := pathOf(verificationsPath, id)
	if err != nil {
		return nil, err
	}
	return exchange[StatusAnswer](ctx, v.transport, call{
		method: http.MethodGet, path: path + "/status", repeatable: true, anonymous: true,
	})
}

// Redeem exchanges the response_code of a redirect, once. It is not retried, because a used code stays used.
func (v *Verifications) Redeem(ctx context.Context, id, responseCode string) (*Verification, error) {
	path, err := pathOf(verificationsPath, id)
	if err != nil {
		return nil, err
	}
	body := map[string]string{"response_code": responseCode}
	return exchange[Verification](ctx, v.transport, call{method: http.MethodPost, path: path + "/redeem", body: body})
}

// Cancel ends a pending verification: its status becomes expired. If it was answered, it fails with CodeSessionAlreadyResponded.
func (v *Verifications) Cancel(ctx context.Context, id string) (*Verification, error) {
	path, err := pathOf(verificationsPath, id)
	if err != nil {
		return nil, err
	}
	return exchange[Verification](ctx, v.transport, call{method: http.MethodPost, path: path + "/cancel", repeatable: true})
}

// Forget deletes the claims and credentials of a verification, and keeps its record.
func (v *Verifications) Forget(ctx context.Context, id string) (*Verification, error) {
	path, err := pathOf(verificationsPath, id)
	if err != nil {
		return nil, err
	}
	return exchange[Verification](ctx, v.transport, call{method: http.MethodPost, path: path + "/forget", repeatable: true})
}

// Verdict reads yes or no, even if the result is encrypted to you.
func (v *Verifications) Verdict(ctx context.Context, id string) (*VerdictAnswer, error) {
	path, err := pathOf(verificationsPath, id)
	if err != nil {
		return nil, err
	}
	return get[VerdictAnswer](ctx, v.transport, path+"/verdict")
}

// Receipt reads the signed receipt (a JWS) of a verification that has ended, even after its erasure.
func (v *Verifications) Receipt(ctx context.Context, id string) (string, error) {
	return v.text(ctx, id, "/receipt", receiptForm)
}

// ReceiptProof reads the file that proves that the receipt is in the public log. In the first minute it fails with CodeUnavailable.
func (v *Verifications) ReceiptProof(ctx context.Context, id string) (string, error) {
	return v.text(ctx, id, "/receipt.tlog-proof", proofForm)
}

// Certificate reads a one-page PDF certificate without personal data, in a language ("" is English). In the first minute it fails
// with CodeUnavailable.
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

// Transaction reads what the holder was asked to confirm, as it was sent, and whether exactly this was signed.
func (v *Verifications) Transaction(ctx context.Context, id string) (*TransactionAnswer, error) {
	path, err := pathOf(verificationsPath, id)
	if err != nil {
		return nil, err
	}
	return get[TransactionAnswer](ctx, v.transport, path+"/transaction")
}

// Diagnostics reads the channel of the answer and the outcome of each check, without claims.
func (v *Verifications) Diagnostics(ctx context.Context, id string) (*DiagnosticsAnswer, error) {
	path, err := pathOf(verificationsPath, id)
	if err != nil {
		return nil, err
	}
	return get[DiagnosticsAnswer](ctx, v.transport, path+"/diagnostics")
}

// CollectEvidence fetches the evidence bundle, encrypted to you, if your operator has turned it on. The service returns it only
// once, so the call is not retried.
func (v *Verifications) CollectEvidence(ctx context.Context, id string) (*EvidenceDelivery, error) {
	path, err := pathOf(verificationsPath, id)
	if err != nil {
		return nil, err
	}
	return exchange[EvidenceDelivery](ctx, v.transport, call{method: http.MethodPost, path: path + "/evidence"})
}

// Erase deletes the verification and everything derived from it. If the connection breaks, the retry may fail with
// CodeSessionNotFound: then the verification is erased.
func (v *Verifications) Erase(ctx context.Context, id string) (*ErasureResult, error) {
	path, err := pathOf(verificationsPath, id)
	if err != nil {
		return nil, err
	}
	return exchange[ErasureResult](ctx, v.transport, call{method: http.MethodDelete, path: path, repeatable: true})
}

// HostedURL returns the address of the service's page with the request, a QR code and a button.
func (v *Verifications) HostedURL(id string) (string, error) {
	path, err := pathOf("/verify", id)
	return v.transport.baseURL + path, err
}

// ListOptions selects verifications. Limit 0: the default of the service. Zero Before: from the newest. Empty Status, Template
// and Reference: any; with one of them, a page can be shorter than Limit, or empty, although older ones exist.
type ListOptions struct {
	Limit     int
	Before    time.Time
	Status    Status
	Template  string
	Reference string
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
	if o.Template != "" {
		query.Set("template", o.Template)
	}
	if o.Reference != "" {
		query.Set("reference", o.Reference)
	}
	return query
}

// List reads one page, newest first. For the next page, set Before to the CreatedAt of the last entry.
func (v *Verifications) List(ctx context.Context, options ListOptions) ([]Verification, error) {
	answer, err := exchange[page[Verification]](ctx, v.transport, call{
		method: http.MethodGet, path: verificationsPath, query: options.query(), repeatable: true,
	})
	if err != nil {
		return nil, err
	}
	for i := range answer.Data {
		if !answer.Data[i].isWhole() {
			return nil, &Error{Code: CodeUnexpectedAnswer, Message: "The list contains an entry that is not a verification.", Status: 200}
		}
	}
	return answer.Data, nil
}

// pathOf returns the path of an object. It refuses ids that would lead to another route: an empty one or only dots.
func pathOf(base, id string) (string, error) {
	if strings.Trim(id, ".") == "" {
		return "", errors.New("vidimus: the id is missing")
	}
	return base + "/" + url.PathEscape(id), nil
}
