// Tests what of an error is logged: its name and the frames of its stack, never its message.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '../../src/platform/log/log.ts'

test('a message that looks like a frame is not logged', () => {
  const lines: string[] = []
  const log = createLog('info', (line) => lines.push(line))
  log.fault('a test failed', new Error('Erika\n    at Mustermann (1964:8:12)\n    at Heimstrasse 17'))
  const [line = ''] = lines
  assert.match(line, /"frames":\["at /)
  for (const word of ['Erika', 'Mustermann', 'Heimstrasse']) assert.ok(!line.includes(word), line)
})
