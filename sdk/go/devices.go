package vidimus

import (
	"context"
	"net/http"
)

const devicesPath = "/v1/devices"

// Devices manages devices for a merchant. Enroll and Refresh are the two calls that a device makes.
type Devices struct{ transport *transport }

// NewDevice is a request for a device.
type NewDevice struct {
	Name             string   `json:"name"`
	AllowedTemplates []string `json:"allowed_templates"`
	// PairingTTLSeconds: 0 means the default of the service.
	PairingTTLSeconds int `json:"pairing_ttl_seconds,omitempty"`
}

// Register creates a device. Only this answer has its pairing code. It is not retried after a broken connection.
func (d *Devices) Register(ctx context.Context, device NewDevice) (*RegisteredDevice, error) {
	return exchange[RegisteredDevice](ctx, d.transport, call{method: http.MethodPost, path: devicesPath, body: device})
}

// List reads all devices, newest first.
func (d *Devices) List(ctx context.Context) ([]Device, error) {
	answer, err := get[page[Device]](ctx, d.transport, devicesPath)
	if err != nil {
		return nil, err
	}
	return answer.Data, nil
}

// Revoke stops all tokens of a device immediately. Revoking twice is not an error.
func (d *Devices) Revoke(ctx context.Context, id string) (*Device, error) {
	path, err := pathOf(devicesPath, id)
	if err != nil {
		return nil, err
	}
	return exchange[Device](ctx, d.transport, call{method: http.MethodDelete, path: path, repeatable: true})
}

// Enroll exchanges a pairing code for tokens. It is never retried, because a code works once.
func (d *Devices) Enroll(ctx context.Context, pairingCode string) (*DeviceTokenPair, error) {
	return d.exchangeCredential(ctx, devicesPath+"/enroll", map[string]string{"pairing_code": pairingCode})
}

// Refresh exchanges a refresh token for new tokens. It is never retried, because a used refresh token revokes the device.
func (d *Devices) Refresh(ctx context.Context, refreshToken string) (*DeviceTokenPair, error) {
	return d.exchangeCredential(ctx, devicesPath+"/token", map[string]string{"refresh_token": refreshToken})
}

// Sends no API key: the credential is in the body.
func (d *Devices) exchangeCredential(ctx context.Context, path string, body map[string]string) (*DeviceTokenPair, error) {
	return exchange[DeviceTokenPair](ctx, d.transport, call{method: http.MethodPost, path: path, body: body, anonymous: true})
}
