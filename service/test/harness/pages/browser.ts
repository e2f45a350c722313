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
  // Pages live for seconds: without compiling for the long run, showing and judging them takes a seventh less of the processor.
  '--js-flags=--no-opt --no-maglev',
]
/** What costs a window a third of its time and no page is shown by: its own address bar, drawn by pages, and processes in advance. */
const WITHOUT = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup', 'SpareRendererForSitePerProcess']
/** A browser takes the last list alone: what the driver leaves out for its own sake stays out. */
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

/** For what never comes, not for what is slow. */
const PATIENCE_MS = 90_000

export function testBrowser(): Promise<Browser> {
  return open([WITHOUT_WINDOWS, ...LOCATIONS], [])
}

/** For tests that need more than pages: the browser's wallet API, a camera, passkeys. */
export function wholeBrowser(more: readonly string[] = []): Promise<Browser> {
  return open(LOCATIONS, more)
}

/** By what they were started with: files that share a process share the browser too. */
const opened = new Map<string, Promise<Browser>>()
// Here and not where one is opened, for that may be in a test, which others outlive.
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
  browser.on('context', (context) => context.setDefaultTimeout(PATIENCE_MS))
  return browser
}
