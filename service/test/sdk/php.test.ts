// Tests the client for PHP: its own tests, and the whole job against a running service.

import { join } from 'node:path'
import { it } from 'node:test'
import { findLanguage, runIn, SDK } from './language.ts'
import { doWholeJob } from './whole-job.ts'

const php = findLanguage('PHP')

if (php !== null) {
  it('passes its own tests', async () => {
    await runIn('php', php, ['tests/run.php'])
  })

  it('does the whole job against a running service', async () => {
    const args = (authorities: string) => ['-d', `curl.cainfo=${authorities}`, 'integration/whole-job.php']
    await doWholeJob({ program: php, args, cwd: join(SDK, 'php') })
  })
}
