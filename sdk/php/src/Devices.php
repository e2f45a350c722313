<?php

declare(strict_types=1);

namespace Vidimus;

use Vidimus\Model\Device;
use Vidimus\Model\DeviceTokenPair;
use Vidimus\Model\RegisteredDevice;

/** Manages devices for a merchant. `enroll` and `refresh` are the two calls that a device makes. */
final class Devices
{
    /** @internal */
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Only this answer has the pairing code. It is not retried after a broken connection.
     *
     * @param list<string> $allowedTemplates
     */
    public function register(string $name, array $allowedTemplates, ?int $pairingTtlSeconds = null): RegisteredDevice
    {
        $body = ['name' => $name, 'allowed_templates' => array_values($allowedTemplates)];
        if ($pairingTtlSeconds !== null) {
            $body['pairing_ttl_seconds'] = $pairingTtlSeconds;
        }
        return $this->transport->send('POST', '/v1/devices', RegisteredDevice::read(...), false, body: $body);
    }

    /** @return list<Device> */
    public function list(): array
    {
        return $this->transport->send('GET', '/v1/devices', Device::readList(...), repeatable: true);
    }

    /** All its tokens stop working immediately. Revoking twice is not an error. */
    public function revoke(string $id): Device
    {
        if (trim($id, '.') === '') {
            throw new \InvalidArgumentException('the id of a device is missing');
        }
        return $this->transport->send('DELETE', '/v1/devices/' . rawurlencode($id), Device::read(...), repeatable: true);
    }

    /** Exchanges a pairing code for tokens. It is never retried, because a code works once. */
    public function enroll(#[\SensitiveParameter] string $pairingCode): DeviceTokenPair
    {
        return $this->exchange('/v1/devices/enroll', ['pairing_code' => $pairingCode]);
    }

    /** Exchanges a refresh token for new tokens. It is never retried, because a used refresh token revokes the device. */
    public function refresh(#[\SensitiveParameter] string $refreshToken): DeviceTokenPair
    {
        return $this->exchange('/v1/devices/token', ['refresh_token' => $refreshToken]);
    }

    /**
     * Sends no API key: the credential is in the body.
     *
     * @param array<string, string> $body
     */
    private function exchange(string $path, #[\SensitiveParameter] array $body): DeviceTokenPair
    {
        return $this->transport->send('POST', $path, DeviceTokenPair::read(...), false, body: $body, anonymous: true);
    }
}
