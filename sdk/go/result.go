package vidimus

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

// ResultKey is your private result key: a JWK on P-256, with d. Unmarshal it from its file.
type ResultKey struct {
	Kty string `json:"kty"`
	Crv string `json:"crv"`
	X   string `json:"x"`
	Y   string `json:"y"`
	D   string `json:"d"`
}

// String keeps the private part out of logs.
func (k ResultKey) String() string { return "ResultKey(" + k.thumbprint() + ")" }

// GoString keeps the private part out of logs.
func (k ResultKey) GoString() string { return k.String() }

// ResultCode says why a result was not opened.
type ResultCode string

const (
	// ResultNoKey: the result is encrypted to a key that you did not pass.
	ResultNoKey ResultCode = "no_key"
	// ResultDamaged: the result cannot be decrypted, or belongs to another verification.
	ResultDamaged ResultCode = "damaged"
	// ResultNotEncrypted: the result is not encrypted, but you expect encrypted results.
	ResultNotEncrypted ResultCode = "not_encrypted"
)

// ResultError is the error of a result that was not opened. Code is stable, the text is for your log.
type ResultError struct {
	Code ResultCode
	text string
}

func (e *ResultError) Error() string { return string(e.Code) + ": " + e.text }

func damaged(why string) error {
	return &ResultError{ResultDamaged, "The result cannot be opened: " + why + "."}
}

// ResultOpener opens results that are encrypted to you.
type ResultOpener struct {
	// Keys has all your keys, also while you replace one. The result names the key that it is encrypted to.
	Keys []ResultKey
	// AcceptClear also accepts results that are not encrypted, for those from before you registered a key.
	AcceptClear bool
}

// OpenResult decrypts the claims of a verification and of its credentials. Pass the verification from Get, Redeem or
// VerifyWebhook. A verification without claims (pending, failed, forgotten) is returned unchanged.
func OpenResult(verification *Verification, keys ...ResultKey) (*Verification, error) {
	return ResultOpener{Keys: keys}.Open(verification)
}

// Open is OpenResult with options.
func (o ResultOpener) Open(verification *Verification) (*Verification, error) {
	if verification == nil {
		return nil, damaged("there is no verification")
	}
	sealed, isEncrypted := verification.Claims["$jwe"]
	if !isEncrypted {
		if o.AcceptClear || !hasClaims(verification) {
			return verification, nil
		}
		return nil, &ResultError{ResultNotEncrypted, "The result is not encrypted, and the caller expects one that is."}
	}
	jwe, isText := sealed.(string)
	if !isText || len(verification.Claims) != 1 {
		return nil, damaged("claims holds more than a JWE")
	}
	if verification.Status != StatusCompleted {
		return nil, damaged("the verification is not completed")
	}
	plain, err := decryptResult(jwe, o.Keys, verification.ID)
	if err != nil {
		return nil, err
	}
	claims, credentials, err := readResult(plain)
	if err != nil {
		return nil, err
	}
	opened := *verification
	opened.Claims = claims
	if verification.Credentials == nil {
		return &opened, nil
	}
	if len(credentials) != len(verification.Credentials) {
		return nil, damaged("it has other credentials than the verification")
	}
	opened.Credentials = append([]CredentialResult(nil), verification.Credentials...)
	for i := range opened.Credentials {
		opened.Credentials[i].Claims = credentials[i]
	}
	return &opened, nil
}

// A verification without claims has nothing to protect.
func hasClaims(verification *Verification) bool {
	if verification.Claims != nil {
		return true
	}
	for _, credential := range verification.Credentials {
		if len(credential.Claims) > 0 {
			return true
		}
	}
	return false
}

// decryptResult accepts only ECDH-ES (direct) with A256GCM (RFC 7518 §4.6, §5.3).
func decryptResult(jwe string, keys []ResultKey, audience string) ([]byte, error) {
	parts := strings.Split(jwe, ".")
	if len(parts) != 5 || parts[1] != "" {
		return nil, damaged("it is not a JWE of this service")
	}
	var header map[string]any
	head, err := fromBase64url(parts[0])
	if err != nil || json.Unmarshal(head, &header) != nil || header == nil {
		return nil, damaged("its header cannot be read")
	}
	if header["alg"] != "ECDH-ES" || header["enc"] != "A256GCM" || header["typ"] != "vidimus-result+jwe" {
		return nil, damaged("it is not a JWE of this kind")
	}
	for _, name := range []string{"crit", "zip", "apu"} {
		if _, has := header[name]; has {
			return nil, damaged("it is not a JWE of this kind")
		}
	}
	if header["apv"] != toBase64url([]byte(audience)) {
		return nil, damaged("it belongs to something else")
	}
	key, err := keyNamed(header["kid"], keys)
	if err != nil {
		return nil, err
	}
	iv, ivErr := fromBase64url(parts[2])
	body, bodyErr := fromBase64url(parts[3])
	tag, tagErr := fromBase64url(parts[4])
	if ivErr != nil || bodyErr != nil || tagErr != nil || len(iv) != 12 || len(tag) != 16 {
		return nil, damaged("its parts have a wrong form")
	}
	secret, err := agree(key, header["epk"])
	if err != nil {
		return nil, damaged("it does not open with this key")
	}
	block, err := aes.NewCipher(deriveKey(secret, audience))
	if err != nil {
		return nil, damaged("it does not open with this key")
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return nil, damaged("it does not open with this key")
	}
	plain, err := gcm.Open(nil, iv, append(body, tag...), []byte(parts[0]))
	if err != nil {
		return nil, damaged("it does not open with this key")
	}
	return plain, nil
}

// keyNamed finds a key by its thumbprint (RFC 7638).
func keyNamed(kid any, keys []ResultKey) (ResultKey, error) {
	for _, key := range keys {
		if kid == key.thumbprint() {
			return key, nil
		}
	}
	return ResultKey{}, &ResultError{ResultNoKey, "The result is encrypted to a key that is not among those given."}
}

func (k ResultKey) thumbprint() string {
	// RFC 7638 orders the members by name.
	named, err := json.Marshal(struct {
		Crv string `json:"crv"`
		Kty string `json:"kty"`
		X   string `json:"x"`
		Y   string `json:"y"`
	}{k.Crv, k.Kty, k.X, k.Y})
	if err != nil {
		return ""
	}
	digest := sha256.Sum256(named)
	return toBase64url(digest[:])
}

func agree(key ResultKey, epk any) ([]byte, error) {
	sender, _ := epk.(map[string]any)
	x, _ := sender["x"].(string)
	y, _ := sender["y"].(string)
	if sender["kty"] != "EC" || sender["crv"] != "P-256" || key.Kty != "EC" || key.Crv != "P-256" {
		return nil, errors.New("a key of another kind")
	}
	theirs, err := publicKey(x, y)
	if err != nil {
		return nil, err
	}
	d, err := fromBase64url(key.D)
	if err != nil {
		return nil, err
	}
	ours, err := ecdh.P256().NewPrivateKey(d)
	if err != nil {
		return nil, err
	}
	return ours.ECDH(theirs)
}

// publicKey refuses a point that is not on the curve.
func publicKey(x, y string) (*ecdh.PublicKey, error) {
	point := []byte{4}
	for _, text := range []string{x, y} {
		coordinate, err := fromBase64url(text)
		if err != nil || len(coordinate) != 32 {
			return nil, errors.New("a coordinate of a wrong form")
		}
		point = append(point, coordinate...)
	}
	return ecdh.P256().NewPublicKey(point)
}

// deriveKey is the Concat KDF of RFC 7518 §4.6.2: one round of SHA-256.
func deriveKey(secret []byte, audience string) []byte {
	input := append(binary.BigEndian.AppendUint32(nil, 1), secret...)
	for _, field := range []string{"A256GCM", "", audience} {
		input = append(binary.BigEndian.AppendUint32(input, uint32(len(field))), field...)
	}
	digest := sha256.Sum256(binary.BigEndian.AppendUint32(input, 256))
	return digest[:]
}

// readResult returns the claims, and those of each credential.
func readResult(plain []byte) (map[string]any, []map[string]any, error) {
	var content struct {
		Claims      map[string]any `json:"claims"`
		Credentials *[]struct {
			Claims map[string]any `json:"claims"`
		} `json:"credentials"`
	}
	decoder := json.NewDecoder(bytes.NewReader(plain))
	if !utf8.Valid(plain) || decoder.Decode(&content) != nil || content.Claims == nil || content.Credentials == nil {
		return nil, nil, damaged("it holds no result")
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, nil, damaged("it holds no result")
	}
	credentials := make([]map[string]any, 0, len(*content.Credentials))
	for _, credential := range *content.Credentials {
		if credential.Claims == nil {
			return nil, nil, damaged("a credential has no claims")
		}
		credentials = append(credentials, credential.Claims)
	}
	return content.Claims, credentials, nil
}

func toBase64url(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }

// fromBase64url decodes canonical base64url only: no padding, no line ends, unused bits are zero.
func fromBase64url(text string) ([]byte, error) {
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil && toBase64url(data) != text {
		return nil, errors.New("not the only form of it")
	}
	return data, err
}
