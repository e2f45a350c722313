<?php

// The assertions of the tests.

declare(strict_types=1);

namespace Vidimus\Tests;

function same(mixed $expected, mixed $actual, string $what = ''): void
{
    if ($expected !== $actual) {
        $shown = json_encode(['expected' => $expected, 'actual' => $actual], JSON_PARTIAL_OUTPUT_ON_ERROR | JSON_UNESCAPED_SLASHES);
        throw new \LogicException("{$what} {$shown}");
    }
}

/**
 * @template T of \Throwable
 * @param class-string<T> $class exactly this one
 * @return T
 */
function thrown(string $class, callable $act): \Throwable
{
    try {
        $act();
    } catch (\Throwable $error) {
        same($class, $error::class, $error->getMessage());
        return $error;
    }
    throw new \LogicException("{$class} was to be thrown");
}
