<?php

// Stores each order in a file, because PHP keeps nothing between two requests. A real shop has a database.

declare(strict_types=1);

namespace Shop;

use Vidimus\Model\Verification;
use Vidimus\Status;

final class Orders
{
    public function __construct(private readonly string $folder)
    {
        if (!is_dir($folder)) {
            mkdir($folder, 0o700, true);
        }
    }

    public function add(string $number, Verification $verification): void
    {
        $order = ['id' => $verification->id, 'walletUri' => $verification->walletUri, 'state' => 'waiting'];
        file_put_contents($this->path($number), json_encode($order, JSON_THROW_ON_ERROR), LOCK_EX);
    }

    /** @return array{id: string, walletUri: string, state: string}|null */
    public function find(string $number): ?array
    {
        return $this->change($number, static fn (array $order): array => $order);
    }

    /**
     * Settles an order once, because the same answer may arrive three times. "completed" does not mean yes: the claim decides.
     *
     * @return array{id: string, walletUri: string, state: string}|null
     */
    public function settle(string $number, Verification $verification): ?array
    {
        return $this->change($number, static function (array $order) use ($verification): array {
            $isOver = $verification->status !== Status::Pending;
            if ($order['state'] !== 'waiting' || $order['id'] !== $verification->id || !$isOver) {
                return $order;
            }
            $claim = $verification->claims['age_over_18'] ?? null;
            $isOldEnough = $verification->status === Status::Completed && $claim === true;
            return ['state' => $isOldEnough ? 'sold' : 'refused'] + $order;
        });
    }

    private function change(string $number, callable $change): ?array
    {
        if (!is_file($this->path($number))) {
            return null;
        }
        // Locks the order, because the webhook and the browser may come at the same time.
        $file = fopen($this->path($number), 'r+');
        flock($file, LOCK_EX);
        $order = $change(json_decode((string) stream_get_contents($file), true, flags: JSON_THROW_ON_ERROR));
        ftruncate($file, 0);
        rewind($file);
        fwrite($file, json_encode($order, JSON_THROW_ON_ERROR));
        fclose($file);
        return $order;
    }

    /** Refuses numbers that would lead out of the folder, because they come from outside, in webhooks. */
    private function path(string $number): string
    {
        return $this->folder . '/' . hash('sha256', $number) . '.json';
    }
}
