<?php

// Finds and creates the accounts of people who sign in with a wallet.

declare(strict_types=1);

namespace VidimusSignIn;

defined('ABSPATH') || exit;

const IDENTITY = '_vidimus_identity';

// Applies even without settings: an account of a wallet never gets a password.
add_filter('wp_authenticate_user', __NAMESPACE__ . '\refusePassword');
add_filter('allow_password_reset', fn ($isAllowed, $id) => isWallet((int) $id) ? false : $isAllowed, 10, 2);
add_filter(
    'wp_is_application_passwords_available_for_user',
    fn ($isAvailable, $user) => isWallet($user->ID) ? false : $isAvailable,
    10,
    2,
);

/** Finds an account by issuer and subject, never by name or email. A new account has no personal data, no usable password and the lowest role. */
function findOrCreateUser(string $subject): \WP_User
{
    global $wpdb;
    // A digest, because the database compares text without regard to case.
    $identity = hash('sha256', wp_json_encode([VIDIMUS_ISSUER, $subject]));
    $lock = 'vidimus-' . substr($identity, 0, 40);
    // Locks, because two concurrent first sign-ins must not create two accounts.
    if ($wpdb->get_var($wpdb->prepare('SELECT GET_LOCK(%s, 10)', $lock)) !== '1') {
        throw new Refused('the database gave no lock');
    }
    try {
        $known = get_users([
            'meta_key' => IDENTITY,
            'meta_value' => $identity,
            'blog_id' => 0,
            'number' => 2,
            'cache_results' => false,
        ]);
        // Checks the identity again, because other plugins may change what a query finds.
        if (count($known) === 1 && get_user_meta($known[0]->ID, IDENTITY, true) === $identity) {
            return $known[0];
        }
        if ($known !== [] || !defined('VIDIMUS_CREATE_USERS') || VIDIMUS_CREATE_USERS !== true) {
            throw new Refused($known === [] ? '' : 'this identity does not name one account', 'no_account');
        }
        $id = wp_insert_user([
            'user_login' => 'wallet-' . bin2hex(random_bytes(8)),
            'user_pass' => wp_generate_password(64),
            'display_name' => __('Wallet user', 'vidimus-sign-in'),
            'role' => 'subscriber',
            'meta_input' => [IDENTITY => $identity],
        ]);
        $user = is_wp_error($id) ? false : get_userdata($id);
        return $user ?: throw new Refused('the account could not be created');
    } finally {
        $wpdb->get_var($wpdb->prepare('SELECT RELEASE_LOCK(%s)', $lock));
    }
}

function isWallet(int $id): bool
{
    return (string) get_user_meta($id, IDENTITY, true) !== '';
}

function refusePassword(mixed $user): mixed
{
    return $user instanceof \WP_User && isWallet($user->ID)
        ? new \WP_Error('vidimus', esc_html__('Sign in with your wallet.', 'vidimus-sign-in'))
        : $user;
}
