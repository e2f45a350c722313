<?php

// Prints the accounts as JSON, and for each whether it can sign in with a password that is set here.

require getenv('WORDPRESS_FOLDER') . '/wp-load.php';

$accounts = [];
foreach (get_users(['orderby' => 'ID']) as $user) {
    wp_set_password('correct horse battery', $user->ID);
    $accounts[] = [
        'login' => $user->user_login,
        'roles' => array_values($user->roles),
        'email' => $user->user_email,
        'name' => $user->display_name,
        'password' => wp_authenticate($user->user_login, 'correct horse battery') instanceof WP_User,
        'reset' => get_password_reset_key($user) instanceof WP_Error ? false : true,
        'applications' => wp_is_application_passwords_available_for_user($user),
    ];
}
echo json_encode($accounts);
