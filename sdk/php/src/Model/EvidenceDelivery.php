<?php

declare(strict_types=1);

namespace Vidimus\Model;

/** The evidence bundle, with a proof of when it was created. */
final class EvidenceDelivery
{
    /**
     * @param string $evidence a JWE to your key
     * @param string|null $receiptProof null if the public log has halted, or does not have the receipt yet after a move to another installation
     */
    private function __construct(
        public readonly string $id,
        public readonly string $evidence,
        public readonly string $receipt,
        public readonly ?string $receiptProof,
    ) {
    }

    /** @internal */
    public static function read(mixed $value): self
    {
        $m = Members::of($value);
        return new self($m->text('id'), $m->text('evidence'), $m->text('receipt'), $m->optionalText('receipt_proof'));
    }
}
