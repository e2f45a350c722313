// Starts an installed Chromium or Chrome (VIDIMUS_TEST_BROWSER), headless-shell if there is one.

import { existsSync } from 'node:fs'
import { after } from 'node:test'
import { type Browser, chromium } from 'playwright-core'

const WITHOUT_WINDOWS = '/usr/bin/chromium-headless-shell'
const LOCATIONS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
]
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  // Pages live for seconds: without optimizing compilation, drawing and checking them takes a seventh less CPU.
  '--js-flags=--no-opt --no-maglev',
]
/** Features that cost a window a third of its time, and that no test shows: the address bar, and spare processes. */
const WITHOUT = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup', 'SpareRendererForSitePerProcess']
/** A browser uses only the last list, so this one repeats what the driver disables. */
const WITHOUT_FOR_DRIVER = [
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades'],
  ...[
    'HttpsFirstBalancedModeAutoEnable',
    'LensOverlay',
    'MediaRouter',
    'PaintHolding',
    'ThirdPartyStoragePartitioning',
  ],
  ...['AvoidCorsURLLoaderRestartOnRedirect', 'OptimizationHints', 'NetworkTimeServiceQuerying', 'AimEnabled'],
  ...['PreconnectToSearch'],
]

/** Ends the wait for a page that never loads. Slow pages take less time. */
const TIMEOUT_MS = 90_000

export function testBrowser(): Promise<Browser> {
  return open([WITHOUT_WINDOWS, ...LOCATIONS], [])
}

/** Starts a browser for tests that need more than pages: the wallet API, a camera, passkeys. */
export function wholeBrowser(more: readonly string[] = []): Promise<Browser> {
  return open(LOCATIONS, more)
}

/** Browsers by their start options: files that share a process also share the browser. */
const opened = new Map<string, Promise<Browser>>()
// Registered here, because a browser may be opened in a test that other tests outlive.
after(async () => {
  for (const browser of opened.values()) await (await browser).close()
})

function open(locations: readonly string[], more: readonly string[]): Promise<Browser> {
  const key = [locations[0], ...more].join(' ')
  const known = opened.get(key) ?? launch(locations, more)
  opened.set(key, known)
  return known
}

async function launch(locations: readonly string[], more: readonly string[]): Promise<Browser> {
  const executablePath = process.env.VIDIMUS_TEST_BROWSER ?? locations.find(existsSync)
  if (executablePath === undefined)
    throw new Error('no browser found: install Chromium, or set VIDIMUS_TEST_BROWSER to one')
  const features = `--disable-features=${[...WITHOUT_FOR_DRIVER, ...WITHOUT].join()}`
  const browser = await chromium.launch({ executablePath, args: [...ARGUMENTS, features, ...more] })
  browser.on('context', (context) => context.setDefaultTimeout(TIMEOUT_MS))
  return browser
}
