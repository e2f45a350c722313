<?php

// Installs WordPress into its empty database, with an administrator and the plugin.

define('WP_INSTALLING', true);
require getenv('WORDPRESS_FOLDER') . '/wp-load.php';

/** WordPress would send a mail. */
function wp_new_blog_notification()
{
}

require_once ABSPATH . 'wp-admin/includes/upgrade.php';
require_once ABSPATH . 'wp-admin/includes/plugin.php';
wp_install('Wine shop', 'admin', 'admin@example.com', false, '', getenv('WORDPRESS_PASSWORD'));
$problem = activate_plugin('vidimus-sign-in/vidimus-sign-in.php');
if (is_wp_error($problem)) {
    fwrite(STDERR, $problem->get_error_message());
    exit(1);
}
