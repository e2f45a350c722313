<?php

declare(strict_types=1);

namespace Vidimus\Model;

/** The request object that one wallet got, or why it got none. */
final class SentRequest
{
    /**
     * @param string|null $requestSha256 base64url; null: no request fits this wallet
     * @param list<string> $leftOut ids of credential queries that were left out for this wallet
     * @param string|null $encryptedTo the curve of the wallet's key; null: the request object was not encrypted
     * @param array<string, list<string>> $missing by list: the values of which the list needs one
     * @param array<string, list<string>>|null $declared by list: the registered names in it; null: the wallet sent no metadata
     */
    private function __construct(
        public readonly string $at,
        public readonly string $clientId,
        public readonly ?string $requestSha256,
        public readonly array $leftOut,
        public readonly ?string $encryptedTo,
        public readonly array $missing,
        public readonly ?array $declared,
    ) {
    }

    /** @internal */
    public static function read(mixed $value): self
    {
        $m = Members::of($value);
        return new self(
            $m->text('at'),
            $m->text('client_id'),
            $m->optionalText('request_sha256'),
            $m->texts('left_out'),
            $m->optionalText('encrypted_to'),
            self::lists($m, 'missing', 'any_of'),
            ($m->all['declared'] ?? null) === null ? null : self::lists($m, 'declared', 'values'),
        );
    }

    /** @return array<string, list<string>> */
    private static function lists(Members $m, string $name, string $values): array
    {
        $lists = [];
        foreach ($m->list($name, Members::of(...)) as $one) {
            $lists[$one->text('member')] = $one->texts($values);
        }
        return $lists;
    }
}
