// What the suite's own browser does on our pages, in the suite's terms (`browser` of its configuration).

/** A selector with its kind, a time to wait in seconds, a pattern, an action. */
type BrowserCommand = readonly (string | number)[]

interface BrowserTask {
  readonly task: string
  readonly match: string
  readonly optional?: true
  readonly commands: readonly BrowserCommand[]
}

interface BrowserBlock {
  readonly match: string
  readonly tasks: readonly BrowserTask[]
}

interface Addresses {
  readonly issuer: string
  readonly baseUrl: string
  /** Of the suite, for this alias. */
  readonly callback: string
}

const WAIT_SECONDS = 10
/** Takes a picture of the page where the module wants one. */
const PICTURE = ['wait', 'xpath', '//body', WAIT_SECONDS, '.+', 'update-image-placeholder-optional'] as const
const REQUIRED_PICTURE = ['wait', 'xpath', '//body', WAIT_SECONDS, '.+', 'update-image-placeholder'] as const

/** The test wallet is in a folded part of the page. */
const UNFOLD = ['click', 'xpath', "//details[.//a[starts-with(@href, '/sandbox/wallet')]]/summary", 'optional'] as const

/** A sign-in with the test wallet. A remembered browser, and an error, skip the pages: so all but the last are optional. */
export function signInBrowser({ issuer, baseUrl, callback }: Addresses): readonly BrowserBlock[] {
  return [
    {
      match: `${issuer}/authorize*`,
      tasks: [
        {
          task: 'Open the test wallet',
          match: `${baseUrl}/verify/*`,
          optional: true,
          commands: [PICTURE, UNFOLD, ['click', 'css', 'a[href^="/sandbox/wallet"]']],
        },
        {
          task: 'Consent',
          match: `${baseUrl}/sandbox/wallet*`,
          optional: true,
          commands: [['click', 'css', 'button[name="answer"][value="consent"]']],
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
          commands: [['wait', 'id', 'submission_complete', WAIT_SECONDS]],
        },
      ],
    },
  ]
}

/** A request that must end on an error page of ours: the suite wants a picture of it. */
export function errorPageBrowser({ issuer }: Pick<Addresses, 'issuer'>): readonly BrowserBlock[] {
  const match = `${issuer}/authorize*`
  return [{ match, tasks: [{ task: 'Error page', match, commands: [REQUIRED_PICTURE] }] }]
}

/** The suite's own page with what it saw of the verifier. */
export function evidenceBrowser(suite: string): readonly BrowserBlock[] {
  const match = `${suite}/test/a/*/verification-evidence`
  return [{ match, tasks: [{ task: 'Capture verification evidence', match, commands: [REQUIRED_PICTURE] }] }]
}
