<?php

declare(strict_types=1);

namespace Vidimus;

use Vidimus\Model\CreatedLink;
use Vidimus\Model\Link;

/** Links that create a verification when a person opens them: for e-mails, text messages, invoices and posters. */
final class Links
{
    private const BASE = '/v1/links';

    /** @internal */
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Only this answer has the address: send or store it now.
     *
     * @param NewVerification $request what each verification is created with; without `origin` and `browserBinding`
     * @param string|null $startsAt ISO 8601, UTC; null: now
     * @param string|null $endsAt ISO 8601, UTC; null: seven days after it starts
     * @param int|null $uses how many verifications it may create; null: any number until it ends
     * @param array{to: string, language?: string}|null $mail sends it to a person
     */
    public function create(
        NewVerification $request,
        ?string $startsAt = null,
        ?string $endsAt = null,
        ?int $uses = 1,
        ?string $idempotencyKey = null,
        ?array $mail = null,
    ): CreatedLink {
        $key = $idempotencyKey ?? bin2hex(random_bytes(16));
        if (preg_match('/\A[\x21-\x7e]{1,255}\z/', $key) !== 1) {
            throw new \InvalidArgumentException(
                'an idempotency key is 1 to 255 printable ASCII characters without spaces',
            );
        }
        $given = array_filter(['starts_at' => $startsAt, 'ends_at' => $endsAt, 'mail' => $mail], static fn ($one) => $one !== null);
        $body = [...$request->body(), ...$given, 'uses' => $uses];
        $read = CreatedLink::read(...);
        return $this->transport->send('POST', self::BASE, $read, true, body: $body, idempotencyKey: $key);
    }

    public function get(string $id): Link
    {
        return $this->transport->send('GET', self::path($id), Link::read(...), repeatable: true);
    }

    /**
     * One page, newest first. For the next page, pass the `createdAt` of the last entry as `before`.
     *
     * @return list<Link>
     */
    public function list(?int $limit = null, ?string $before = null): array
    {
        $query = ['limit' => $limit, 'before' => $before];
        return $this->transport->send('GET', self::BASE, Link::readList(...), repeatable: true, query: $query);
    }

    /** Stops the link. Verifications that it has already created continue. Revoking twice is not an error. */
    public function revoke(string $id): Link
    {
        return $this->transport->send('DELETE', self::path($id), Link::read(...), repeatable: true);
    }

    /** Refuses ids that would lead to another route: an empty one or only dots. */
    private static function path(string $id): string
    {
        if (trim($id, '.') === '') {
            throw new \InvalidArgumentException('the id of a link is missing');
        }
        return self::BASE . '/' . rawurlencode($id);
    }
}
