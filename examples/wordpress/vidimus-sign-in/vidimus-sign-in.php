<?php

/**
 * Plugin Name: Vidimus sign-in
 * Description: "Sign in with your wallet" on the login page. The settings are constants in wp-config.php.
 * Version: 0.2.0
 * Requires PHP: 8.1
 * License: Apache-2.0
 *
 * Authorization code flow with PKCE (S256). State, nonce and verifier belong to one browser by a cookie.
 * A missing or different value ends the sign-in, and no account is changed.
 */

declare(strict_types=1);

namespace VidimusSignIn;

defined('ABSPATH') || exit;
require __DIR__ . '/accounts.php';
require __DIR__ . '/id-token.php';

/** The time that a person has to answer with the wallet. */
const ROUND_SECONDS = 1800;
const MESSAGES = [
    'declined' => 'You were not signed in: nothing was shared from your wallet.',
    'expired' => 'This sign-in began in another browser, or too long ago. Start again.',
    'no_account' => 'There is no account for this wallet, and this site creates no new ones.',
    'failed' => 'You could not be signed in. Try again later.',
];

if (isConfigured()) {
    add_action('login_form', __NAMESPACE__ . '\showButton');
    add_action('login_form_vidimus-start', __NAMESPACE__ . '\start');
    add_action('login_form_vidimus', __NAMESPACE__ . '\finish');
    add_filter('wp_login_errors', __NAMESPACE__ . '\showMessage');
}

/** Whether an address has https, or http on this machine for the sandbox. */
function isConfigured(): bool
{
    foreach (['VIDIMUS_ISSUER', 'VIDIMUS_CLIENT_ID', 'VIDIMUS_CLIENT_SECRET'] as $name) {
        if (!defined($name) || !is_string(constant($name)) || constant($name) === '') {
            return false;
        }
    }
    return preg_match('#^(https://[^/]|http://(localhost|127\.0\.0\.1)[:/])\S*[^/\s]$#D', VIDIMUS_ISSUER) === 1;
}

function loginUrl(string $action, array $more = []): string
{
    return add_query_arg(['action' => $action] + $more, site_url('wp-login.php', 'login'));
}

function showButton(): void
{
    $redirect = is_string($_REQUEST['redirect_to'] ?? null) ? wp_unslash($_REQUEST['redirect_to']) : '';
    $more = $redirect === '' ? [] : ['redirect_to' => rawurlencode($redirect)];
    echo '<p style="margin-bottom:16px"><a class="button button-large" style="width:100%;text-align:center" id="vidimus" href="',
        esc_url(loginUrl('vidimus-start', $more)), '">', esc_html__('Sign in with your wallet', 'vidimus-sign-in'), '</a></p>';
}

function showMessage(\WP_Error $errors): \WP_Error
{
    $shown = $_GET['vidimus'] ?? null;
    if (is_string($shown) && isset(MESSAGES[$shown])) {
        $errors->add('vidimus', esc_html(MESSAGES[$shown]));
    }
    return $errors;
}

/** Redirects the browser to the provider, with a cookie that only this browser has. */
function start(): never
{
    try {
        $redirect = is_string($_GET['redirect_to'] ?? null) ? wp_unslash($_GET['redirect_to']) : '';
        // Browsers drop a cookie of more than 4 kB.
        $redirect = strlen($redirect) > 1000 ? '' : $redirect;
        $round = bin2hex(random_bytes(32));
        $query = [
            'response_type' => 'code',
            'client_id' => VIDIMUS_CLIENT_ID,
            'redirect_uri' => loginUrl('vidimus'),
            'scope' => 'openid',
            'state' => derive('state', $round),
            'nonce' => derive('nonce', $round),
            'code_challenge' => toBase64url(hash('sha256', derive('verifier', $round), true)),
            'code_challenge_method' => 'S256',
        ];
        $address = discover()['authorization_endpoint'] . '?' . http_build_query($query, '', '&', PHP_QUERY_RFC3986);
        setRound("{$round}." . toBase64url($redirect), time() + ROUND_SECONDS);
        nocache_headers();
        wp_redirect($address);
        exit;
    } catch (Refused $refused) {
        refuse($refused);
    }
}

/** Handles the return of the browser: signs the person in, or shows the reason of a refusal. */
function finish(): never
{
    try {
        $cookie = $_COOKIE[roundCookie()] ?? null;
        if (!is_string($cookie) || preg_match('/^([0-9a-f]{64})\.([\w-]*)$/D', $cookie, $found) !== 1) {
            throw new Refused('', 'expired');
        }
        $given = fn (string $name): string => is_string($_GET[$name] ?? null) ? wp_unslash($_GET[$name]) : '';
        // A callback with another state does not end the sign-in that this browser began.
        if (!hash_equals(derive('state', $found[1]), $given('state'))) {
            throw new Refused('', 'expired');
        }
        setRound('', 1);
        // RFC 9207: a code of another provider must not be sent to ours.
        if (!hash_equals(VIDIMUS_ISSUER, $given('iss'))) {
            throw new Refused('the answer names another issuer');
        }
        if ($given('code') === '' || $given('error') !== '') {
            throw new Refused('the provider gave no code', $given('error') === 'access_denied' ? 'declined' : 'failed');
        }
        $user = findOrCreateUser(redeem($given('code'), $found[1]));
        // Other plugins, and the network's spam check, may refuse the account here.
        $user = apply_filters('authenticate', $user, $user->user_login, '');
        if (!$user instanceof \WP_User) {
            throw new Refused('the account was refused by this site');
        }
        wp_set_auth_cookie($user->ID);
        do_action('wp_login', $user->user_login, $user);
        // Redirects within this site only. Any other address is replaced by the dashboard's.
        wp_safe_redirect(fromBase64url($found[2]) ?: admin_url());
        exit;
    } catch (Refused $refused) {
        refuse($refused);
    }
}

/** Redeems the code, and returns the subject. */
function redeem(string $code, string $round): string
{
    $provider = discover();
    $basic = base64_encode(rawurlencode(VIDIMUS_CLIENT_ID) . ':' . rawurlencode(VIDIMUS_CLIENT_SECRET));
    $tokens = fetchJson($provider['token_endpoint'], [
        'method' => 'POST',
        'headers' => ['Accept' => 'application/json', 'Authorization' => "Basic {$basic}"],
        'body' => [
            'grant_type' => 'authorization_code',
            'code' => $code,
            'redirect_uri' => loginUrl('vidimus'),
            'code_verifier' => derive('verifier', $round),
        ],
    ]);
    $jwks = fetchJson($provider['jwks_uri']);
    $nonce = derive('nonce', $round);
    return checkIdToken($tokens['id_token'] ?? null, $jwks, VIDIMUS_ISSUER, VIDIMUS_CLIENT_ID, $nonce, time());
}

/** Reads the provider's addresses, which must begin with the issuer. Caches failures, too, so that strangers cause at most one request in 15 seconds. */
function discover(): array
{
    $name = 'vidimus_' . md5(VIDIMUS_ISSUER);
    $provider = get_transient($name);
    if (!is_array($provider)) {
        try {
            $provider = fetchJson(VIDIMUS_ISSUER . '/.well-known/openid-configuration');
        } catch (Refused) {
            $provider = [];
        }
        $isOwn = ($provider['issuer'] ?? null) === VIDIMUS_ISSUER;
        foreach (['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as $endpoint) {
            $address = $provider[$endpoint] ?? null;
            $isOwn = $isOwn && is_string($address) && str_starts_with($address, VIDIMUS_ISSUER . '/');
        }
        $provider = $isOwn ? $provider : [];
        set_transient($name, $provider, $isOwn ? 600 : 15);
    }
    return $provider === [] ? throw new Refused('the provider in wp-config.php does not answer as such') : $provider;
}

function fetchJson(string $url, array $request = []): array
{
    $limits = ['timeout' => 10, 'redirection' => 0, 'limit_response_size' => 65536, 'sslverify' => true];
    $answer = wp_remote_request($url, $limits + $request);
    $json = wp_remote_retrieve_response_code($answer) === 200 ? json_decode(wp_remote_retrieve_body($answer), true, 16) : null;
    return is_array($json) ? $json : throw new Refused('the provider gave no answer at ' . basename($url));
}

/** Derives state, nonce or verifier. The verifier also needs the secret of this site, so the cookie alone cannot redeem a code. */
function derive(string $purpose, string $round): string
{
    return hash_hmac('sha256', $purpose, $purpose === 'verifier' ? $round . wp_salt() : $round);
}

/** The prefix `__Host-` keeps other hosts of the domain from setting the cookie. */
function roundCookie(): string
{
    return str_starts_with(loginUrl('vidimus'), 'https:') ? '__Host-vidimus' : 'vidimus';
}

function setRound(string $value, int $expires): void
{
    $isSecure = str_starts_with(loginUrl('vidimus'), 'https:');
    $options = ['expires' => $expires, 'path' => '/', 'secure' => $isSecure, 'httponly' => true, 'samesite' => 'Lax'];
    setcookie(roundCookie(), $value, $options);
}

function refuse(Refused $refused): never
{
    if ($refused->getMessage() !== '') {
        error_log("vidimus-sign-in: {$refused->getMessage()}");
    }
    wp_safe_redirect(add_query_arg('vidimus', $refused->shown, site_url('wp-login.php', 'login')));
    exit;
}
