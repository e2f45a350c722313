<?php

// Runs every test of the library, without PHPUnit: `php tests/run.php`.

declare(strict_types=1);

require __DIR__ . '/../autoload.php';
require __DIR__ . '/check.php';
require __DIR__ . '/ScriptedService.php';

set_error_handler(static function (int $level, string $message, string $file, int $line): never {
    throw new ErrorException($message, 0, $level, $file, $line);
});

$passed = 0;
$failed = [];
foreach (['cases', 'requests', 'failures'] as $part) {
    foreach (require __DIR__ . "/{$part}.php" as $name => $test) {
        try {
            $test();
            $passed++;
        } catch (Throwable $problem) {
            $failed[] = "{$part}: {$name}\n    {$problem->getMessage()} ({$problem->getFile()}:{$problem->getLine()})";
        }
    }
}
foreach ($failed as $problem) {
    fwrite(STDERR, "FAILED {$problem}\n");
}
echo "{$passed} passed, ", count($failed), " failed\n";
exit($failed === [] && $passed > 0 ? 0 : 1);
