// Tests the client for Python: its own tests, and the whole job against a running service.

import { join } from 'node:path'
import { it } from 'node:test'
import { findLanguage, runIn, SDK } from './language.ts'
import { doWholeJob } from './whole-job.ts'

const python = findLanguage('Python')

const withCryptography = python === null ? null : findLanguage('Python with cryptography')

if (withCryptography !== null) {
  it('decrypts results like the other languages', async () => {
    await runIn('python', withCryptography, [
      '-W',
      'error',
      '-m',
      'unittest',
      'discover',
      '-t',
      '.',
      '-s',
      'tests_results',
    ])
  })
}

if (python !== null) {
  it('passes its own tests', async () => {
    await runIn('python', python, ['-W', 'error', '-m', 'unittest', 'discover', '-t', '.', '-s', 'tests'])
  })

  it('does the whole job against a running service', async () => {
    const args = () => ['-W', 'error', '-m', 'integration.whole_job']
    await doWholeJob({ program: python, args, cwd: join(SDK, 'python') })
  })
}
