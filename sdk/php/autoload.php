<?php

// For projects without Composer: require this file, and the classes are found.

declare(strict_types=1);

spl_autoload_register(static function (string $class): void {
    if (!str_starts_with($class, 'Vidimus\\')) {
        return;
    }
    $file = __DIR__ . '/src/' . str_replace('\\', '/', substr($class, strlen('Vidimus\\'))) . '.php';
    if (is_file($file)) {
        require $file;
    }
});
