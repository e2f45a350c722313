// The commands for the suite's own browser on our pages (`browser` in the suite's configuration).

/** A selector and its kind, a waiting time in seconds, a pattern, an action. */
type BrowserCommand = readonly (string | number)[]

interface BrowserTask {
  readonly task: string
  readonly match: string
  readonly optional?: true
  readonly commands: readonly BrowserCommand[]
}

interface BrowserBlock {
  readonly match: string
  /** How often the suite uses it; if absent, always. */
  readonly 'match-limit'?: number
  readonly tasks: readonly BrowserTask[]
}

interface Addresses {
  readonly issuer: string
  readonly baseUrl: string
  /** The address at the suite for this alias. */
  readonly callback: string
}

const WAIT_SECONDS = 10
/** Takes a screenshot of the page if the module wants one. */
const PICTURE = ['wait', 'xpath', '//body', WAIT_SECONDS, '.+', 'update-image-placeholder-optional'] as const
const OPEN_PAGE = ['wait', 'xpath', '//body', WAIT_SECONDS] as const
const REQUIRED_PICTURE = ['wait', 'xpath', '//body', WAIT_SECONDS, '.+', 'update-image-placeholder'] as const

/**
 * Signs in with the test wallet. All tasks are optional, because an error or a remembered browser skips the pages.
 * Takes a screenshot only of an error page, because one after a success ends the module too early.
 */
export function signInBrowser(addresses: Addresses): readonly BrowserBlock[] {
  return blockOf(addresses, { answer: 'consent', pictures: [] })
}

/** Returns the modules that need a screenshot of a page, and the one in which the person declines. */
export function overridesOf(
  addresses: Addresses,
): Readonly<Record<string, { readonly browser: readonly BrowserBlock[] }>> {
  const asksAgain = { browser: blockOf(addresses, { answer: 'consent', pictures: [PICTURE] }) }
  return {
    'oidcc-prompt-login': asksAgain,
    'oidcc-max-age-1': asksAgain,
    'fapi2-security-profile-final-user-rejects-authentication': {
      browser: blockOf(addresses, { answer: 'decline', pictures: [] }),
    },
    'fapi2-security-profile-final-par-ensure-reused-request-uri-prior-to-auth-completion-succeeds': {
      browser: [...openOnce(addresses), ...signInBrowser(addresses)],
    },
  }
}

/** The first visit only opens the page. The person signs in at the second visit. */
function openOnce({ issuer, baseUrl }: Addresses): readonly BrowserBlock[] {
  const task = { task: 'Open the page', match: `${baseUrl}/verify/*`, commands: [OPEN_PAGE] }
  return [{ match: `${issuer}/authorize*`, 'match-limit': 1, tasks: [task] }]
}

function blockOf(
  { issuer, baseUrl, callback }: Addresses,
  { answer, pictures }: { readonly answer: 'consent' | 'decline'; readonly pictures: readonly BrowserCommand[] },
): readonly BrowserBlock[] {
  const match = `${issuer}/authorize*`
  return [
    {
      match,
      tasks: [
        { task: 'Error page', match, optional: true, commands: [PICTURE] },
        {
          task: 'Open the test wallet',
          match: `${baseUrl}/verify/*`,
          optional: true,
          commands: [...pictures, ['click', 'css', 'a[href^="/sandbox/wallet"]']],
        },
        {
          task: 'Answer',
          match: `${baseUrl}/sandbox/wallet*`,
          optional: true,
          commands: [['click', 'css', `button[name="answer"][value="${answer}"]`]],
        },
        {
          task: 'Return to the browser',
          match: `${baseUrl}/sandbox/wallet*`,
          optional: true,
          commands: [
            ['click', 'css', 'a[href*="/return/"]'],
            ['wait', 'contains', callback, WAIT_SECONDS],
          ],
        },
        {
          task: 'Verify complete',
          match: `${callback}*`,
          optional: true,
          commands: [['wait', 'id', 'submission_complete', WAIT_SECONDS]],
        },
      ],
    },
  ]
}

/** Returns the suite's page with its evidence about the verifier. */
export function evidenceBrowser(suite: string): readonly BrowserBlock[] {
  const match = `${suite}/test/a/*/verification-evidence`
  return [{ match, tasks: [{ task: 'Capture verification evidence', match, commands: [REQUIRED_PICTURE] }] }]
}
