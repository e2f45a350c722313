// Package vidimus is the merchant's client for Vidimus, a hosted OpenID4VP verifier: it asks holders of wallets for proofs and
// verifies webhooks. Standard library only.
//
//	client, err := vidimus.New("https://verify.example.com", os.Getenv("VIDIMUS_API_KEY"))
//	asked, err := client.Verifications.Create(ctx, vidimus.NewVerification{Template: "age_over_18", Purpose: "To sell you wine"})
//	result, err := client.Verifications.Wait(ctx, asked.ID)
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

// Client reaches every merchant and device route. It may be used by several goroutines at once.
type Client struct {
	Verifications *Verifications
	Links         *Links
	Devices       *Devices
	transport     *transport
}

// Option changes how a client behaves.
type Option func(*transport)

// WithHTTPClient takes another client, such as one with a proxy. Its redirects are never followed.
func WithHTTPClient(client *http.Client) Option {
	return func(t *transport) { t.client = client }
}

// WithTimeout bounds each attempt. Default 30 seconds. The context bounds the whole call.
func WithTimeout(timeout time.Duration) Option {
	return func(t *transport) { t.timeout = timeout }
}

// WithRetries sets how many attempts may follow the first one where repeating is safe (default 3), and the longest Retry-After
// that is waited for (default a minute).
func WithRetries(retries int, longestWait time.Duration) Option {
	return func(t *transport) { t.terms = retryTerms{retries, longestWait} }
}

// WithClock is for tests: how to wait, and what time it is.
func WithClock(sleep func(context.Context, time.Duration) error, now func() time.Time) Option {
	return func(t *transport) { t.sleep, t.now = sleep, now }
}

var keyPattern = regexp.MustCompile(`\A(?:vk_(?:test|live)_|vd_)[\x21-\x7e]+\z`)

// New makes a client. The key is a secret of your server.
func New(baseURL, apiKey string, options ...Option) (*Client, error) {
	address, err := url.Parse(baseURL)
	if err != nil || (address.Scheme != "https" && address.Scheme != "http") || address.Hostname() == "" ||
		address.User != nil || strings.ContainsAny(baseURL, "?# \t\r\n") {
		return nil, errors.New("vidimus: the base address must be that of the service, such as https://verify.example.com")
	}
	// Refuses an unset variable or a pasted line end immediately, and never shows it.
	if !keyPattern.MatchString(apiKey) {
		return nil, errors.New("vidimus: the key must be one of Vidimus: it begins with vk_test_ or vk_live_ and holds no white space")
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
		return nil, errors.New("vidimus: a timeout is more than nothing, and retries and waits are not negative")
	}
	// A redirect would take the key elsewhere. A copy: the caller's own client stays as it is.
	client := *t.client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	t.client = &client
	return &Client{Verifications: &Verifications{t}, Links: &Links{t}, Devices: &Devices{t}, transport: t}, nil
}

// Usage reads today's creations and quota, and the last days'.
func (c *Client) Usage(ctx context.Context) (*Usage, error) {
	return get[Usage](ctx, c.transport, "/v1/usage")
}

// Templates reads what this credential may ask, in words for people.
func (c *Client) Templates(ctx context.Context) (*TemplateList, error) {
	return get[TemplateList](ctx, c.transport, "/v1/templates")
}

// answerOf lets generic functions make an answer and check it.
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
