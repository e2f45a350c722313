<?php

declare(strict_types=1);

namespace Vidimus\Model;

final class RegisteredDevice
{
    private function __construct(
        public readonly Device $device,
        /** Shown only here. */
        public readonly string $pairingCode,
    ) {
    }

    /** @internal */
    public static function read(mixed $value): self
    {
        $m = Members::of($value);
        return new self(Device::read($m->all['device'] ?? null), $m->text('pairing_code'));
    }
}
