package vidimus

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"
)

const linksPath = "/v1/links"

// Links manages links that create a verification when a person opens them: for e-mails, text messages, invoices and posters.
type Links struct{ transport *transport }

// NewLink is a request for a link. Set exactly one of Template and Query.
type NewLink struct {
	Template    string            `json:"template,omitempty"`
	Query       map[string]any    `json:"query,omitempty"`
	Purpose     string            `json:"purpose,omitempty"`
	Metadata    map[string]string `json:"metadata,omitempty"`
	TTLSeconds  int               `json:"ttl_seconds,omitempty"`
	RedirectURL string            `json:"redirect_url,omitempty"`
	WebhookURL  string            `json:"webhook_url,omitempty"`
	IntendedUse string            `json:"intended_use,omitempty"`
	Transaction []map[string]any  `json:"transaction,omitempty"`
	// Mail sends the link to a person; nil: you send the URL yourself.
	Mail *LinkMail `json:"mail,omitempty"`
	// StartsAt: nil means now. EndsAt: nil means seven days after the start; thirty days at most.
	StartsAt *time.Time `json:"-"`
	EndsAt   *time.Time `json:"-"`
	// Uses is how many verifications the link may create; 0 means one.
	Uses int `json:"-"`
	// AnyNumber removes the limit on Uses.
	AnyNumber bool `json:"-"`
	// IdempotencyKey: as for a verification.
	IdempotencyKey string `json:"-"`
}

// LinkMail is the mail that sends a new link.
type LinkMail struct {
	To string `json:"to"`
	// Language is en, de, fr, it, es or nl; "" is English.
	Language string `json:"language,omitempty"`
}

type newLinkBody struct {
	NewLink
	StartsAt string          `json:"starts_at,omitempty"`
	EndsAt   string          `json:"ends_at,omitempty"`
	Uses     json.RawMessage `json:"uses,omitempty"`
}

// Create creates a link. Only this answer has its URL: send or store it now.
func (l *Links) Create(ctx context.Context, link NewLink) (*CreatedLink, error) {
	if (link.Template == "") == (link.Query == nil) {
		return nil, errors.New("vidimus: give exactly one of Template and Query")
	}
	key, err := idempotencyKeyOr(link.IdempotencyKey)
	if err != nil {
		return nil, err
	}
	body := newLinkBody{NewLink: link, StartsAt: instantText(link.StartsAt), EndsAt: instantText(link.EndsAt)}
	switch {
	case link.AnyNumber:
		body.Uses = json.RawMessage("null")
	case link.Uses != 0:
		if body.Uses, err = json.Marshal(link.Uses); err != nil {
			return nil, err
		}
	}
	return exchange[CreatedLink](ctx, l.transport, call{
		method: http.MethodPost, path: linksPath, body: body, idempotencyKey: key, repeatable: true,
	})
}

func instantText(at *time.Time) string {
	if at == nil {
		return ""
	}
	return at.UTC().Format("2006-01-02T15:04:05.000000Z")
}

// Get reads a link.
func (l *Links) Get(ctx context.Context, id string) (*Link, error) {
	path, err := pathOf(linksPath, id)
	if err != nil {
		return nil, err
	}
	return get[Link](ctx, l.transport, path)
}

// LinkListOptions selects links. Limit 0: the default of the service. Zero Before: from the newest.
type LinkListOptions struct {
	Limit  int
	Before time.Time
}

// List reads one page, newest first. For the next page, set Before to the CreatedAt of the last entry.
func (l *Links) List(ctx context.Context, options LinkListOptions) ([]Link, error) {
	query := ListOptions{Limit: options.Limit, Before: options.Before}.query()
	answer, err := exchange[page[Link]](ctx, l.transport, call{
		method: http.MethodGet, path: linksPath, query: query, repeatable: true,
	})
	if err != nil {
		return nil, err
	}
	return answer.Data, nil
}

// Revoke stops the link. Verifications that it has already created continue. Revoking twice is not an error.
func (l *Links) Revoke(ctx context.Context, id string) (*Link, error) {
	path, err := pathOf(linksPath, id)
	if err != nil {
		return nil, err
	}
	return exchange[Link](ctx, l.transport, call{method: http.MethodDelete, path: path, repeatable: true})
}

// Link creates a verification when a person opens it.
type Link struct {
	ID string `json:"id"`
	// State is "scheduled", "open", "used_up", "ended" or "revoked".
	State    string    `json:"state"`
	StartsAt time.Time `json:"starts_at"`
	EndsAt   time.Time `json:"ends_at"`
	// Uses: nil means any number.
	Uses        *int              `json:"uses"`
	Opened      int               `json:"opened"`
	Completed   int               `json:"completed"`
	Template    string            `json:"template,omitempty"`
	Purpose     string            `json:"purpose,omitempty"`
	Metadata    map[string]string `json:"metadata,omitempty"`
	RedirectURL string            `json:"redirect_url,omitempty"`
	CreatedAt   time.Time         `json:"created_at"`
	RevokedAt   *time.Time        `json:"revoked_at,omitempty"`
}

// CreatedLink has the address. The service does not return it again.
type CreatedLink struct {
	Link
	URL string `json:"url"`
}

func (l *Link) isWhole() bool        { return l.ID != "" && l.State != "" && !l.CreatedAt.IsZero() }
func (l *CreatedLink) isWhole() bool { return l.Link.isWhole() && l.URL != "" }
