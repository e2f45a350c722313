<?php

declare(strict_types=1);

namespace Vidimus\Model;

final class CredentialResult
{
    /**
     * @param string $format mso_mdoc, dc+sd-jwt, or mso_mdoc_zk (a proof about a document that was not shown)
     * @param array<string, mixed> $claims
     * @param array<string, mixed> $issuer
     * @param list<Finding> $findings only what did not pass
     */
    private function __construct(
        public readonly string $format,
        public readonly string $doctypeOrVct,
        public readonly array $claims,
        public readonly array $issuer,
        public readonly bool $trusted,
        public readonly bool $signatureValid,
        public readonly bool $holderBindingValid,
        public readonly array $findings,
    ) {
    }

    /** @internal */
    public static function read(mixed $value): self
    {
        $m = Members::of($value);
        return new self(
            $m->text('format'),
            $m->text('doctype_or_vct'),
            $m->object('claims'),
            $m->object('issuer'),
            $m->isTrue('trusted'),
            $m->isTrue('signature_valid'),
            $m->isTrue('holder_binding_valid'),
            $m->list('findings', Finding::read(...)),
        );
    }
}
