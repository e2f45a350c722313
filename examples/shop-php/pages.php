<?php

// The shop's pages.

declare(strict_types=1);

namespace Shop;

const WORDS = [
    'waiting' => 'Please show that you are 18 or older.',
    'sold' => 'Thank you! The bottle is yours.',
    'refused' => 'Sorry, we cannot sell you this.',
];

function frontPage(): string
{
    return page('<p>A bottle of red, 9.90</p>
<p>We may sell it to you if you are 18 or older. Your wallet can tell us so, and nothing else.</p>
<form method="post" action="/checkout"><button>Buy</button></form>');
}

function checkoutPage(string $state, string $hostedUrl, string $walletUri): string
{
    $links = '<p><a href="/">Back to the shop</a></p>';
    if ($state === 'waiting') {
        $links = '<p><a href="' . htmlspecialchars($hostedUrl) . '">Scan a code with your wallet</a></p>
<p><a href="' . htmlspecialchars($walletUri) . '">Open a wallet on this device</a></p>';
    }
    return page('<p id="state" role="status" data-state="' . $state . '">' . WORDS[$state] . "</p>\n{$links}");
}

/** The page to which the wallet returns the browser. Its script submits the code and continues. */
function returnPage(): string
{
    return page('<p id="state" role="status" data-returning>One moment…</p>');
}

function page(string $body): string
{
    return <<<HTML
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="referrer" content="same-origin">
        <title>Wine shop</title>
        <link rel="stylesheet" href="/shop.css">
        <script type="module" src="/checkout.js"></script>
        </head>
        <body><main><h1>Wine shop</h1>
        {$body}
        </main></body>
        </html>

        HTML;
}
