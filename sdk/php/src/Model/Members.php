<?php

declare(strict_types=1);

namespace Vidimus\Model;

/** Reads members of a JSON object and checks their types. @internal */
final class Members
{
    /** @param array<string, mixed> $all */
    private function __construct(public readonly array $all)
    {
    }

    public static function of(mixed $value): self
    {
        if (!is_array($value) || ($value !== [] && array_is_list($value))) {
            throw new MalformedAnswer('not an object');
        }
        return new self($value);
    }

    public function text(string $name): string
    {
        return $this->optionalText($name) ?? throw new MalformedAnswer($name);
    }

    public function optionalText(string $name): ?string
    {
        $value = $this->all[$name] ?? null;
        return $value === null || is_string($value) ? $value : throw new MalformedAnswer($name);
    }

    public function number(string $name): int
    {
        $value = $this->all[$name] ?? null;
        return is_int($value) ? $value : throw new MalformedAnswer($name);
    }

    /** Anything but true counts as false. */
    public function isTrue(string $name): bool
    {
        return ($this->all[$name] ?? null) === true;
    }

    /** @return array<string, mixed> */
    public function object(string $name): array
    {
        return self::of($this->all[$name] ?? null)->all;
    }

    /** @return array<string, mixed> empty where it is absent */
    public function optionalObject(string $name): array
    {
        return isset($this->all[$name]) ? $this->object($name) : [];
    }

    /**
     * @template T
     * @param callable(mixed): T $read
     * @return list<T>
     */
    public function list(string $name, callable $read): array
    {
        $value = $this->all[$name] ?? null;
        if (!is_array($value) || !array_is_list($value)) {
            throw new MalformedAnswer($name);
        }
        return array_map($read, $value);
    }

    /** @return list<string> */
    public function texts(string $name): array
    {
        return $this->list($name, static fn (mixed $v): string => is_string($v) ? $v : throw new MalformedAnswer($name));
    }
}
