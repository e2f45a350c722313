<?php

declare(strict_types=1);

namespace Vidimus\Tests;

/** Starts scripted-service.php as a process, because PHP cannot send a request and answer it at the same time. */
final class ScriptedService
{
    public readonly string $url;
    /** @var resource */
    private $process;
    /** @var array<int, resource> */
    private array $pipes = [];
    private int $scripted = 0;

    public function __construct()
    {
        $command = [PHP_BINARY, __DIR__ . '/scripted-service.php'];
        $this->process = proc_open($command, [['pipe', 'r'], ['pipe', 'w'], STDERR], $this->pipes);
        $this->url = 'http://127.0.0.1:' . trim((string) fgets($this->pipes[1]));
    }

    /** @param array<string, mixed> ...$answers status, body, headers, text; or broken; or silent */
    public function script(array ...$answers): void
    {
        foreach ($answers as $answer) {
            fwrite($this->pipes[0], json_encode($answer) . "\n");
            $this->scripted++;
        }
    }

    /** @return list<array<string, mixed>> the requests since the last call */
    public function requests(): array
    {
        $requests = [];
        for (; $this->scripted > 0; $this->scripted--) {
            $requests[] = json_decode((string) fgets($this->pipes[1]), true);
        }
        return $requests;
    }

    public function __destruct()
    {
        array_map(fclose(...), $this->pipes);
        proc_terminate($this->process);
        proc_close($this->process);
    }

    /**
     * @param array<string, mixed> $change
     * @return array<string, mixed>
     */
    public static function verification(array $change = []): array
    {
        return $change + ['id' => 'ver_1', 'status' => 'pending', 'created_at' => '2027-06-15T12:00:00.000001Z', 'expires_at' => 'x'];
    }

    /**
     * @param array<string, string> $headers
     * @return array<string, mixed>
     */
    public static function refused(int $status, string $code, array $headers = []): array
    {
        return ['status' => $status, 'body' => ['error' => ['code' => $code, 'message' => 'no']], 'headers' => $headers];
    }
}
