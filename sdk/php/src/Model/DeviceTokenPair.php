<?php

declare(strict_types=1);

namespace Vidimus\Model;

final class DeviceTokenPair
{
    private function __construct(
        public readonly string $accessToken,
        /** Single use: store it before using the access token. */
        public readonly string $refreshToken,
        public readonly string $tokenType,
        /** Seconds. */
        public readonly int $expiresIn,
        public readonly int $refreshExpiresIn,
        public readonly Device $device,
    ) {
    }

    /** @internal */
    public static function read(mixed $value): self
    {
        $m = Members::of($value);
        return new self(
            $m->text('access_token'),
            $m->text('refresh_token'),
            $m->text('token_type'),
            $m->number('expires_in'),
            $m->number('refresh_expires_in'),
            Device::read($m->all['device'] ?? null),
        );
    }

    /** @return array<string, mixed> without the tokens, which are secrets */
    public function __debugInfo(): array
    {
        return ['expiresIn' => $this->expiresIn, 'refreshExpiresIn' => $this->refreshExpiresIn, 'device' => $this->device];
    }
}
