<?php

// Sells wine to people who are old enough. The shop gets the answer by polling, by a response code or by a webhook.
// Only the code shows that the answer came through the browser that ordered. This shop also sells to a person who
// answers with another device, so it takes the first of the three.

declare(strict_types=1);

namespace Shop;

use Vidimus\Client;
use Vidimus\Exception\VidimusException;
use Vidimus\Exception\WebhookVerificationException;
use Vidimus\NewVerification;
use Vidimus\Webhook;

require __DIR__ . '/../../sdk/php/autoload.php'; // or Composer's
require __DIR__ . '/orders.php';
require __DIR__ . '/pages.php';

$port = getenv('SHOP_PORT') ?: '3000';
// The shop's own address. The service sends webhooks to a public address; on one machine `vidimus listen` forwards them.
$address = rtrim(getenv('SHOP_ADDRESS') ?: "http://localhost:{$port}", '/');
$isPublic = getenv('SHOP_ADDRESS') !== false;
$data = getenv('SHOP_DATA') ?: sys_get_temp_dir() . '/vidimus-shop-' . getmyuid();
$orders = new Orders("{$data}/orders");
$vidimus = new Client(getenv('VIDIMUS_URL') ?: 'http://localhost:8080', getenv('VIDIMUS_API_KEY') ?: '');

header("Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; form-action 'self'; connect-src 'self'");
header('Cache-Control: no-store');
$route = $_SERVER['REQUEST_METHOD'] . ' ' . parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
if ($route !== 'POST /webhooks') {
    session_cache_limiter('');
    session_start([
        'name' => 'session',
        'save_path' => $data,
        'use_strict_mode' => true,
        'cookie_httponly' => true,
        'cookie_samesite' => 'Lax',
        'cookie_secure' => str_starts_with($address, 'https:'),
    ]);
}
/** The number of this browser's order. Other browsers must not see the order. */
$number = $_SESSION['order'] ?? null;
$order = $number === null ? null : $orders->find($number);
/** No other site may act for the customer. */
$isOwnPage = ($_SERVER['HTTP_ORIGIN'] ?? null) === $address;
$body = static fn (): string => (string) file_get_contents('php://input', length: 256 * 1024);

$answer = static function (int $status, string $type = 'text/plain', string $text = ''): void {
    http_response_code($status);
    header("Content-Type: {$type}");
    echo $text;
};
$answerPage = static fn (string $html) => $answer(200, 'text/html; charset=utf-8', $html);
$answerState = static fn (?array $order) => $answer(200, 'application/json', json_encode(['state' => $order['state'] ?? null]));
$goTo = static function (string $path) use ($answer): void {
    header("Location: {$path}");
    $answer(303);
};

$placeOrder = static function () use ($vidimus, $orders, $address, $isPublic, $goTo): void {
    $number = bin2hex(random_bytes(18));
    $verification = $vidimus->verifications->create(
        new NewVerification(
            template: 'age_over_18',
            purpose: 'To sell you a bottle of wine',
            metadata: ['order' => $number],
            redirectUrl: "{$address}/checkout/return",
            webhookUrl: $isPublic ? "{$address}/webhooks" : null,
        ),
        idempotencyKey: $number,
    );
    $orders->add($number, $verification);
    session_regenerate_id(true);
    $_SESSION['order'] = $number;
    $goTo('/checkout');
};

/** The browser only says when to check. Its statement about the outcome does not count. */
$readResult = static function () use ($vidimus, $orders, $number, $order, $answerState): void {
    $answerState($orders->settle($number, $vidimus->verifications->get($order['id'])));
};

/** The id comes from the session, the code from the browser. A shop that needs the same browser settles only here. */
$redeemCode = static function () use ($vidimus, $orders, $number, $order, $body, $answer, $answerState): void {
    try {
        $answerState($orders->settle($number, $vidimus->verifications->redeem($order['id'], $body())));
    } catch (VidimusException $error) {
        if (!in_array($error->errorCode, ['invalid_response_code', 'invalid_request'], true)) {
            throw $error;
        }
        $answer(403);
    }
};

$takeWebhook = static function () use ($orders, $body, $answer): void {
    try {
        $event = Webhook::verify(
            $body(),
            $_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? null,
            [getenv('VIDIMUS_WEBHOOK_SECRET')],
        );
    } catch (WebhookVerificationException $error) {
        $answer(400, text: $error->fault->value);
        return;
    }
    // The shop ignores types that are newer than this SDK.
    if ($event->verification !== null) {
        $orders->settle($event->verification->metadata['order'] ?? '', $event->verification);
    }
    $answer(204);
};

$file = static fn (string $type, string $path) => $answer(200, $type, (string) file_get_contents(__DIR__ . "/../{$path}"));
try {
    match (true) {
        $route === 'GET /' => $answerPage(frontPage()),
        $route === 'GET /shop.css' => $file('text/css', 'shop/shop.css'),
        $route === 'GET /checkout.js' => $file('text/javascript', 'hosted-checkout.js'),
        $route === 'GET /checkout/return' => $answerPage(returnPage()),
        $route === 'POST /webhooks' => $takeWebhook(),
        $route === 'GET /checkout' && $order === null => $goTo('/'),
        $route === 'GET /checkout' => $answerPage(
            checkoutPage($order['state'], $vidimus->verifications->hostedUrl($order['id']), $order['walletUri']),
        ),
        !str_starts_with($route, 'POST /checkout') => $answer(404),
        !$isOwnPage => $answer(403),
        $route === 'POST /checkout' => $placeOrder(),
        $order === null => $answer(403),
        $route === 'POST /checkout/check' => $readResult(),
        $route === 'POST /checkout/redeem' => $redeemCode(),
        default => $answer(404),
    };
} catch (VidimusException $error) {
    // The reason is for the shop's log, not for the customer.
    error_log("{$error->errorCode} {$error->requestId}");
    $answer(502);
}
