<?php

// Serves scripted answers over real connections: prints its port, reads answers from stdin, prints each request.

declare(strict_types=1);

$server = stream_socket_server('tcp://127.0.0.1:0') ?: throw new RuntimeException('cannot listen');
echo substr((string) strrchr(stream_socket_get_name($server, false), ':'), 1), "\n";
/** Connections that wait for another request, and those that are never answered. */
$kept = [];
$silent = [];
while (true) {
    $ready = [$server, ...$kept];
    $none = null;
    stream_select($ready, $none, $none, null);
    $connection = reset($ready);
    if ($connection === $server) {
        $connection = stream_socket_accept($server);
    }
    $kept = array_filter($kept, static fn ($one) => $one !== $connection);
    $head = '';
    while (!str_ends_with($head, "\r\n\r\n") && ($byte = fread($connection, 1)) !== '' && $byte !== false) {
        $head .= $byte;
    }
    if ($head === '') {
        fclose($connection);
        continue;
    }
    $lines = explode("\r\n", trim($head));
    [$method, $path] = explode(' ', (string) array_shift($lines)) + ['', ''];
    $headers = [];
    foreach ($lines as $line) {
        [$name, $value] = explode(': ', $line, 2) + ['', ''];
        $headers[strtolower($name)] = $value;
    }
    $length = (int) ($headers['content-length'] ?? 0);
    $body = $length === 0 ? '' : (string) stream_get_contents($connection, $length);
    $answer = json_decode((string) fgets(STDIN), true);
    echo json_encode(['method' => $method, 'path' => $path, 'headers' => $headers, 'body' => json_decode($body, true)]), "\n";
    if (isset($answer['silent'])) {
        $silent[] = $connection;
        continue;
    }
    if (!isset($answer['broken'])) {
        $text = $answer['text'] ?? json_encode($answer['body'] ?? null);
        $told = '';
        foreach (['Content-Length' => (string) (strlen($text) + ($answer['missing'] ?? 0)), 'Connection' => isset($answer['keep']) ? 'keep-alive' : 'close'] + ($answer['headers'] ?? []) as $name => $value) {
            $told .= "{$name}: {$value}\r\n";
        }
        fwrite($connection, "HTTP/1.1 {$answer['status']} x\r\n{$told}\r\n{$text}");
    }
    if (isset($answer['keep'])) {
        $kept[] = $connection;
    } else {
        fclose($connection);
    }
}
