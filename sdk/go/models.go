package vidimus

import (
	"encoding/json"
	"fmt"
	"time"
)

// Status is the status of a verification. A newer service may have others; only StatusCompleted is a proof.
type Status string

const (
	StatusPending   Status = "pending"
	StatusCompleted Status = "completed"
	StatusFailed    Status = "failed"
	StatusExpired   Status = "expired"
)

// Verification is what a holder was asked, and the result.
type Verification struct {
	ID       string `json:"id"`
	Status   Status `json:"status"`
	Template string `json:"template,omitempty"`
	// WalletURI is for a QR code or a link; only while pending.
	WalletURI  string `json:"wallet_uri,omitempty"`
	RequestURI string `json:"request_uri,omitempty"`
	// Claims are merged and verified; empty unless completed.
	Claims      map[string]any     `json:"claims,omitempty"`
	Credentials []CredentialResult `json:"credentials,omitempty"`
	// Failure is the reason if the status is StatusFailed.
	Failure     *Failure          `json:"error,omitempty"`
	Metadata    map[string]string `json:"metadata,omitempty"`
	Purpose     string            `json:"purpose,omitempty"`
	RedirectURL string            `json:"redirect_url,omitempty"`
	CreatedAt   time.Time         `json:"created_at"`
	ExpiresAt   time.Time         `json:"expires_at"`
	RespondedAt *time.Time        `json:"responded_at,omitempty"`
	// Raw is the whole answer, including members that this library does not know.
	Raw json.RawMessage `json:"-"`
}

// String keeps claims and metadata out of logs.
func (v Verification) String() string {
	return fmt.Sprintf("Verification(%s, %s)", v.ID, v.Status)
}

// GoString keeps claims and metadata out of logs.
func (v Verification) GoString() string { return v.String() }

// Failure is the reason of a failed verification.
type Failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// CredentialResult is the result for one credential.
type CredentialResult struct {
	// Format is mso_mdoc, dc+sd-jwt, or mso_mdoc_zk (a proof about a document that was not shown).
	Format             string         `json:"format"`
	DoctypeOrVCT       string         `json:"doctype_or_vct"`
	Claims             map[string]any `json:"claims"`
	Issuer             Issuer         `json:"issuer"`
	Trusted            bool           `json:"trusted"`
	SignatureValid     bool           `json:"signature_valid"`
	HolderBindingValid bool           `json:"holder_binding_valid"`
	// Findings has the checks that did not pass.
	Findings []Finding `json:"findings"`
}

// String keeps claims out of logs.
func (r CredentialResult) String() string {
	return fmt.Sprintf("CredentialResult(%s, %s)", r.Format, r.DoctypeOrVCT)
}

// GoString keeps claims out of logs.
func (r CredentialResult) GoString() string { return r.String() }

// Issuer names the signer of a credential, from its certificate.
type Issuer struct {
	CommonName string `json:"common_name,omitempty"`
	Country    string `json:"country,omitempty"`
}

// Finding describes a check that did not pass.
type Finding struct {
	Check  string `json:"check"`
	Status string `json:"status"`
	Detail string `json:"detail,omitempty"`
}

// EvidenceDelivery is the evidence bundle, with a proof of when it was created.
type EvidenceDelivery struct {
	ID string `json:"id"`
	// Evidence is a JWE to your key.
	Evidence string `json:"evidence"`
	Receipt  string `json:"receipt"`
	// ReceiptProof is nil if the public log has halted, or does not have the receipt yet after a move to another installation.
	ReceiptProof *string `json:"receipt_proof"`
}

// VerdictAnswer is the yes or no of a template.
type VerdictAnswer struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	// Verdict is nil if the verification is not completed, has no template, or is forgotten.
	Verdict *string `json:"verdict"`
}

// DiagnosticsAnswer describes the course of a verification, without its content.
type DiagnosticsAnswer struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	// Channel is redirect, age_link, dc_api or annex_c; nil without an answer, or if it was not recorded.
	Channel *string `json:"channel"`
	// Binding says how the answer was bound to the browser that asked; nil if that was not recorded.
	Binding *string `json:"binding"`
	// Requests lists the request objects that wallets fetched.
	Requests []SentRequest `json:"requests"`
	// Credentials is empty if no credential was presented, and nil if they are forgotten or were not recorded.
	Credentials []CredentialChecks `json:"credentials"`
}

// SentRequest describes the request object that one wallet got, or why it got none.
type SentRequest struct {
	At       string `json:"at"`
	ClientID string `json:"client_id"`
	// RequestSHA256 is base64url; nil if no request fits the wallet.
	RequestSHA256 *string `json:"request_sha256"`
	// LeftOut holds the ids of credential queries that were left out for this wallet.
	LeftOut []string `json:"left_out"`
	// EncryptedTo is the curve of the wallet's key; nil if the request object was not encrypted.
	EncryptedTo *string          `json:"encrypted_to"`
	Missing     []MissingSupport `json:"missing"`
	// Declared is nil if the wallet sent no metadata.
	Declared []DeclaredList `json:"declared"`
}

// MissingSupport names a list in the wallet's metadata that lacks all of these values.
type MissingSupport struct {
	Member string   `json:"member"`
	AnyOf  []string `json:"any_of"`
}

// DeclaredList is a list in the wallet's metadata. Others counts values that are not registered names.
type DeclaredList struct {
	Member string   `json:"member"`
	Values []string `json:"values"`
	Others int      `json:"others"`
}

// CredentialChecks holds the outcome of each check of one credential.
type CredentialChecks struct {
	// Query is the id of the credential query.
	Query  string         `json:"query"`
	Format string         `json:"format"`
	Checks []CheckOutcome `json:"checks"`
}

// CheckOutcome is passed, failed, warning, not_checked or not_provable; a newer service may have others.
type CheckOutcome struct {
	Check   string `json:"check"`
	Outcome string `json:"outcome"`
}

// TransactionAnswer is what the holder was asked to confirm.
type TransactionAnswer struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	// Transaction is empty if there was nothing to confirm, and nil if it is forgotten.
	Transaction []Transaction `json:"transaction"`
}

// Transaction is one thing to confirm.
type Transaction struct {
	Type string `json:"type"`
	// Hash is the SHA-256 of Data in base64url: what the wallet signs.
	Hash string `json:"hash"`
	Alg  string `json:"alg"`
	// Data is exactly the text that was sent.
	Data string `json:"data"`
	// Confirmed is true if the wallet signed exactly this text and the verification completed.
	Confirmed          bool     `json:"confirmed"`
	By                 string   `json:"by,omitempty"`
	At                 string   `json:"at,omitempty"`
	AuthenticationCode string   `json:"authentication_code,omitempty"`
	Factors            []string `json:"factors,omitempty"`
}

// StatusAnswer is only the status. Anyone who knows the id may read it.
type StatusAnswer struct {
	ID     string `json:"id"`
	Status Status `json:"status"`
}

// ErasureResult counts what was deleted.
type ErasureResult struct {
	ID string `json:"id"`
	// Deleted counts rows by table.
	Deleted  map[string]int `json:"deleted"`
	ErasedAt time.Time      `json:"erased_at"`
}

// Device is a till or a tablet of the merchant.
type Device struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Status is "pending", "active" or "revoked".
	Status           string     `json:"status"`
	AllowedTemplates []string   `json:"allowed_templates"`
	CreatedAt        time.Time  `json:"created_at"`
	PairingExpiresAt *time.Time `json:"pairing_expires_at,omitempty"`
	EnrolledAt       *time.Time `json:"enrolled_at,omitempty"`
	LastSeenAt       *time.Time `json:"last_seen_at,omitempty"`
	RevokedAt        *time.Time `json:"revoked_at,omitempty"`
}

// RegisteredDevice has the pairing code. The service does not return it again.
type RegisteredDevice struct {
	Device      Device `json:"device"`
	PairingCode string `json:"pairing_code"`
}

// DeviceTokenPair has the tokens of a device. The refresh token works once: store it before you use the access token.
type DeviceTokenPair struct {
	AccessToken  string `json:"access_token"`
	RefreshToken string `json:"refresh_token"`
	TokenType    string `json:"token_type"`
	// ExpiresIn and RefreshExpiresIn are seconds.
	ExpiresIn        int    `json:"expires_in"`
	RefreshExpiresIn int    `json:"refresh_expires_in"`
	Device           Device `json:"device"`
}

// Usage is the day's creations and quota. Days are written YYYY-MM-DD.
type Usage struct {
	Day                  string     `json:"day"`
	VerificationsCreated int        `json:"verifications_created"`
	DailyQuota           int        `json:"daily_quota"`
	Remaining            int        `json:"remaining"`
	Recent               []DayUsage `json:"recent"`
}

// DayUsage counts the creations of one day.
type DayUsage struct {
	Day                  string `json:"day"`
	VerificationsCreated int    `json:"verifications_created"`
}

// TemplateList has the templates that a key may use.
type TemplateList struct {
	// Environment is "test" or "live": results in "test" prove nothing.
	Environment string     `json:"environment"`
	Data        []Template `json:"data"`
}

// Template is a question by its key, with a title for people.
type Template struct {
	Key   string `json:"key"`
	Title string `json:"title"`
}

// UnmarshalJSON stores the whole answer in Raw.
func (v *Verification) UnmarshalJSON(text []byte) error {
	type plain Verification
	if err := json.Unmarshal(text, (*plain)(v)); err != nil {
		return err
	}
	v.Raw = append(json.RawMessage(nil), text...)
	return nil
}

// Refuses an answer that lacks a required member.
type checked interface{ isWhole() bool }

func (v *Verification) isWhole() bool {
	return v.ID != "" && v.Status != "" && !v.CreatedAt.IsZero() && !v.ExpiresAt.IsZero()
}
func (e *EvidenceDelivery) isWhole() bool  { return e.ID != "" && e.Evidence != "" && e.Receipt != "" }
func (v *VerdictAnswer) isWhole() bool     { return v.ID != "" && v.Status != "" }
func (t *TransactionAnswer) isWhole() bool { return t.ID != "" && t.Status != "" }
func (d *DiagnosticsAnswer) isWhole() bool { return d.ID != "" && d.Status != "" }
func (s *StatusAnswer) isWhole() bool      { return s.ID != "" && s.Status != "" }
func (e *ErasureResult) isWhole() bool     { return e.ID != "" && e.Deleted != nil }
func (d *Device) isWhole() bool            { return d.ID != "" && d.Status != "" && d.AllowedTemplates != nil }
func (r *RegisteredDevice) isWhole() bool  { return r.Device.isWhole() && r.PairingCode != "" }
func (u *Usage) isWhole() bool             { return u.Day != "" && u.Recent != nil }
func (t *TemplateList) isWhole() bool      { return t.Environment != "" && t.Data != nil }
func (p *DeviceTokenPair) isWhole() bool {
	return p.AccessToken != "" && p.RefreshToken != "" && p.ExpiresIn > 0 && p.RefreshExpiresIn > 0 && p.Device.isWhole()
}

type page[T any] struct {
	Data []T `json:"data"`
}

func (p *page[T]) isWhole() bool { return p.Data != nil }
