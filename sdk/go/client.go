// Package vidimus is the merchant's client for Vidimus, a hosted OpenID4VP verifier: it asks wallets for proofs and
// verifies webhooks. It uses the standard library only.
//
//	client, err := vidimus.New("https://verify.example.com", os.Getenv("VIDIMUS_API_KEY"))
//	created, err := client.Verifications.Create(ctx, vidimus.NewVerification{Template: "age_over_18", Purpose: "To sell you wine"})
//	result, err := client.Verifications.Wait(ctx, created.ID)
//	isOldEnough := result.Status == vidimus.StatusCompleted && result.Claims["age_over_18"] == true
package vidimus

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// Client calls the routes of merchants and devices. It is safe for concurrent use.
type Client struct {
	Verifications *Verifications
	Links         *Links
	Devices       *Devices
	transport     *transport
}

// Option changes how a client behaves.
type Option func(*transport)

// WithHTTPClient sets the HTTP client, for example one with a proxy. Redirects are never followed.
func WithHTTPClient(client *http.Client) Option {
	return func(t *transport) { t.client = client }
}

// WithTimeout limits each attempt (default 30 seconds). The context limits the whole call.
func WithTimeout(timeout time.Duration) Option {
	return func(t *transport) { t.timeout = timeout }
}

// WithRetries sets how often a call is retried if that is safe (default 3), and the longest Retry-After that it waits for (default
// one minute).
func WithRetries(retries int, longestWait time.Duration) Option {
	return func(t *transport) { t.terms = retryTerms{retries, longestWait} }
}

// WithClock replaces the clock, for tests.
func WithClock(sleep func(context.Context, time.Duration) error, now func() time.Time) Option {
	return func(t *transport) { t.sleep, t.now = sleep, now }
}

var keyPattern = regexp.MustCompile(`\A(?:vk_(?:test|live)_|vd_)[\x21-\x7e]+\z`)

// New creates a client. The key is a secret of your server.
func New(baseURL, apiKey string, options ...Option) (*Client, error) {
	address, err := url.Parse(baseURL)
	if err != nil || (address.Scheme != "https" && address.Scheme != "http") || address.Hostname() == "" ||
		address.User != nil || strings.ContainsAny(baseURL, "?# \t\r\n") {
		return nil, errors.New("vidimus: the base address must be that of the service, such as https://verify.example.com")
	}
	// Refuses an unset variable or a pasted line end immediately, and never shows it.
	if !keyPattern.MatchString(apiKey) {
		return nil, errors.New("vidimus: the key must be a Vidimus key: it begins with vk_test_ or vk_live_ and contains no white space")
	}
	t := &transport{
		baseURL: strings.TrimRight(baseURL, "/"),
		apiKey:  apiKey,
		client:  &http.Client{},
		timeout: 30 * time.Second,
		terms:   retryTerms{retries: 3, longestWait: time.Minute},
		sleep:   sleep,
		now:     time.Now,
	}
	for _, option := range options {
		option(t)
	}
	if t.timeout <= 0 || t.terms.retries < 0 || t.terms.longestWait < 0 || t.client == nil {
		return nil, errors.New("vidimus: the timeout must be positive; retries and waits must not be negative")
	}
	// Following a redirect would send the key to another server. A copy, so that the caller's client does not change.
	client := *t.client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	t.client = &client
	return &Client{Verifications: &Verifications{t}, Links: &Links{t}, Devices: &Devices{t}, transport: t}, nil
}

// Usage reads the quota and the creations of today and the last days.
func (c *Client) Usage(ctx context.Context) (*Usage, error) {
	return get[Usage](ctx, c.transport, "/v1/usage")
}

// Templates reads the templates that this key may use, with titles for people.
func (c *Client) Templates(ctx context.Context) (*TemplateList, error) {
	return get[TemplateList](ctx, c.transport, "/v1/templates")
}

// answerOf lets generic functions create an answer and check it.
type answerOf[T any] interface {
	*T
	checked
}

func get[T any, P answerOf[T]](ctx context.Context, t *transport, path string) (*T, error) {
	return exchange[T, P](ctx, t, call{method: http.MethodGet, path: path, repeatable: true})
}

func exchange[T any, P answerOf[T]](ctx context.Context, t *transport, c call) (*T, error) {
	answer := new(T)
	if err := t.send(ctx, c, P(answer)); err != nil {
		return nil, err
	}
	return answer, nil
}
