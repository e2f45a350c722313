// Tests that a till reads the pairing code with its camera; the browser plays a film of the code instead of a camera.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import encodeQR from 'qr'
import { pairingCodeIn } from '../../../till/src/device/scanner.ts'
import { registerDevice } from '../harness/devices.ts'
import { listeningService } from '../harness/listening.ts'
import { wholeBrowser } from '../harness/pages/browser.ts'
import { assertCount, assertText } from '../harness/pages/shown.ts'

const [WIDTH, HEIGHT] = [640, 480]
const service = await listeningService()
const key = await service.key(await service.tenant())
const { json } = await registerDevice(service, key, { name: 'Door' })
const folder = await mkdtemp(join(tmpdir(), 'vidimus-film-'))
after(() => rm(folder, { recursive: true }))
const film = join(folder, 'film.y4m')
await writeFile(film, filmOf(`${service.base}/till#${json.pairing_code}`))
const browser = await wholeBrowser([
  '--use-fake-ui-for-media-stream',
  '--use-fake-device-for-media-stream',
  `--use-file-for-fake-video-capture=${film}`,
])

/** Two frames of uncompressed grey: a code in the middle of a light wall. */
function filmOf(text: string): Buffer {
  const rows = encodeQR(text, 'raw', { border: 4 })
  const module = Math.floor(HEIGHT / rows.length)
  const [left, top] = [WIDTH, HEIGHT].map((side) => Math.floor((side - rows.length * module) / 2))
  const light = Buffer.alloc(WIDTH * HEIGHT, 235)
  rows.forEach((row, y) => {
    row.forEach((dark, x) => {
      if (!dark) return
      for (let line = 0; line < module; line += 1) {
        const at = ((top ?? 0) + y * module + line) * WIDTH + (left ?? 0) + x * module
        light.fill(16, at, at + module)
      }
    })
  })
  const frame = Buffer.concat([Buffer.from('FRAME\n'), light, Buffer.alloc((WIDTH * HEIGHT) / 2, 128)])
  return Buffer.concat([Buffer.from(`YUV4MPEG2 W${WIDTH} H${HEIGHT} F10:1 Ip A1:1 C420jpeg\n`), frame, frame])
}

test('the code on a screen is read and pairs the till, and the camera is released', async () => {
  const page = await (await browser.newContext({ locale: 'en-GB' })).newPage()
  await page.goto(`${service.base}/till`)
  await page.click('text=Scan the code')
  await page.waitForSelector('.choices')
  await assertText(page.locator('#device').first(), 'Test tenant · Door')
  await assertCount(page.locator('video'), 0)
})

test('a picture counts only if it has a pairing code, or a link that ends in a pairing code', () => {
  assert.equal(pairingCodeIn('VD-ABCD-EFGH'), 'VD-ABCD-EFGH')
  assert.equal(pairingCodeIn('https://verify.example.com/till#VD-ABCD-EFGH'), 'VD-ABCD-EFGH')
  for (const text of ['', 'https://example.com', 'VD-ABCD-EFGHX', 'VD-ABC-DEFGH', 'WIFI:S:VD-ABCD-EFGH;;']) {
    assert.equal(pairingCodeIn(text), null)
  }
})
