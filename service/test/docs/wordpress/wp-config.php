<?php

// The settings of the WordPress under test. Each server gets its address and its provider from its environment.

define('DB_NAME', 'wordpress');
define('DB_USER', 'root');
define('DB_PASSWORD', '');
define('DB_HOST', 'localhost:' . getenv('WORDPRESS_SOCKET'));
define('DB_CHARSET', 'utf8mb4');
define('DB_COLLATE', '');
$table_prefix = 'wp_';
define('WP_HOME', getenv('WORDPRESS_URL'));
define('WP_SITEURL', getenv('WORDPRESS_URL'));
// Else application passwords need TLS.
define('WP_ENVIRONMENT_TYPE', 'local');
if (($_SERVER['HTTP_X_FORWARDED_PROTO'] ?? '') === 'https') {
    $_SERVER['HTTPS'] = 'on';
}
// Nothing leaves the machine.
define('DISABLE_WP_CRON', true);
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('AUTOMATIC_UPDATER_DISABLED', true);
foreach (['VIDIMUS_ISSUER', 'VIDIMUS_CLIENT_ID', 'VIDIMUS_CLIENT_SECRET'] as $name) {
    if (getenv($name) !== false) {
        define($name, getenv($name));
    }
}
if (getenv('VIDIMUS_CREATE_USERS') === 'true') {
    define('VIDIMUS_CREATE_USERS', true);
}
require_once ABSPATH . 'wp-settings.php';
