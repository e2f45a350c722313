package vidimus

import (
	"context"
	"net/http"
)

const devicesPath = "/v1/devices"

// Devices is the merchant's side of venue devices, and the two exchanges that a device makes.
type Devices struct{ transport *transport }

// NewDevice says what to register.
type NewDevice struct {
	Name             string   `json:"name"`
	AllowedTemplates []string `json:"allowed_templates"`
	// PairingTTLSeconds: 0 is the service's own.
	PairingTTLSeconds int `json:"pairing_ttl_seconds,omitempty"`
}

// Register mints a pairing code, which is in this answer and nowhere else. Not repeated after a broken connection.
func (d *Devices) Register(ctx context.Context, device NewDevice) (*RegisteredDevice, error) {
	return exchange[RegisteredDevice](ctx, d.transport, call{method: http.MethodPost, path: devicesPath, body: device})
}

// List reads all of them, newest first.
func (d *Devices) List(ctx context.Context) ([]Device, error) {
	answer, err := get[page[Device]](ctx, d.transport, devicesPath)
	if err != nil {
		return nil, err
	}
	return answer.Data, nil
}

// Revoke stops everything the device holds at once. Revoking twice is no error.
func (d *Devices) Revoke(ctx context.Context, id string) (*Device, error) {
	path, err := pathOf(devicesPath, id)
	if err != nil {
		return nil, err
	}
	return exchange[Device](ctx, d.transport, call{method: http.MethodDelete, path: path, repeatable: true})
}

// Enroll exchanges a pairing code, which works once. Never repeated here.
func (d *Devices) Enroll(ctx context.Context, pairingCode string) (*DeviceTokenPair, error) {
	return d.exchangeCredential(ctx, devicesPath+"/enroll", map[string]string{"pairing_code": pairingCode})
}

// Refresh exchanges a refresh token. Never repeated here: presenting a spent one revokes the device.
func (d *Devices) Refresh(ctx context.Context, refreshToken string) (*DeviceTokenPair, error) {
	return d.exchangeCredential(ctx, devicesPath+"/token", map[string]string{"refresh_token": refreshToken})
}

// The credential is in the body; the merchant's key has no business there.
func (d *Devices) exchangeCredential(ctx context.Context, path string, body map[string]string) (*DeviceTokenPair, error) {
	return exchange[DeviceTokenPair](ctx, d.transport, call{method: http.MethodPost, path: path, body: body, anonymous: true})
}
