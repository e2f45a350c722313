// A real witness: the command, in a separate process, on its own port.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { LOG_SIGNING_LABEL } from '../../../src/features/transparency/domain/log/log-keys.ts'
import { type NoteKey, noteSigner, readNoteKey, renderNoteKey } from '../../../src/platform/signed-note.ts'
import { once, within } from '../wait.ts'
import { BARE_ENVIRONMENT } from './bare-environment.ts'
import { testSealer } from './master-key.ts'

const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url))

const derivedKeys = testSealer()
derivedKeys.keep(new Map())

/** The key of the log of a service under test, which has it before it signs anything. */
export const TEST_LOG = noteSigner('verify.example.com/log', 0x01, derivedKeys.derive(LOG_SIGNING_LABEL, 32))

export interface RunningWitness {
  readonly key: NoteKey
  readonly url: string
  /** The form of VIDIMUS_WITNESSES. */
  readonly setting: string
  submit(body: string): Promise<{ readonly status: number; readonly type: string | null; readonly text: string }>
  kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>
}

export async function startWitness(folder: string, name = 'witness.example/w'): Promise<RunningWitness> {
  const child = witnessProcess(folder, name)
  const lines = createInterface({ input: child.stdout ?? assert.fail() })[Symbol.asyncIterator]()
  const keyText = String((await within('the witness says its key and address', lines.next())).value)
  const url =
    /http:\S+/.exec(String((await within('the witness says its key and address', lines.next())).value))?.[0] ??
    assert.fail('it does not say where it listens')
  return {
    key: readNoteKey(keyText) ?? assert.fail('its key is unreadable'),
    url,
    setting: `${keyText} ${url}`,
    async submit(body) {
      const response = await fetch(`${url}/add-checkpoint`, { method: 'POST', body })
      return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
    },
    async kill(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill(signal)
      await once(child, 'exit')
    },
  }
}

export function witnessProcess(folder: string, name: string): ChildProcess {
  const args = ['witness', '--name', name, '--log', renderNoteKey(TEST_LOG), '--folder', folder, '--port', '0']
  return spawn(process.execPath, [MAIN, ...args], { env: BARE_ENVIRONMENT, stdio: ['ignore', 'pipe', 'pipe'] })
}
