<?php

declare(strict_types=1);

namespace Vidimus\Model;

/** The outcome of each check of one credential. */
final class CredentialChecks
{
    /**
     * @param string $query the id of the credential query
     * @param array<string, string> $checks by name: `passed`, `failed`, `warning`, `not_checked` or `not_provable`
     */
    private function __construct(
        public readonly string $query,
        public readonly string $format,
        public readonly array $checks,
    ) {
    }

    /** @internal */
    public static function read(mixed $value): self
    {
        $m = Members::of($value);
        $checks = [];
        foreach ($m->list('checks', Members::of(...)) as $one) {
            $checks[$one->text('check')] = $one->text('outcome');
        }
        return new self($m->text('query'), $m->text('format'), $checks);
    }
}
