// Tests that mails in a tenant's name have its brand, with enough contrast, and that others look like the service.

import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { crc32, deflateSync } from 'node:zlib'
import { CARDS, contrast } from '../../src/features/pages/domain/branding/colour.ts'
import { runJob } from '../harness/jobs.ts'
import { dress } from '../harness/pages/brands.ts'
import { bytesOf, partOf, smtpServer } from '../harness/servers/smtp.ts'
import { testService } from '../harness/service.ts'
import { person } from '../harness/staff.ts'

const server = await smtpServer({ after })
const MAIL = { VIDIMUS_SMTP_URL: `smtp://127.0.0.1:${server.port}`, VIDIMUS_MAIL_FROM: 'no-reply@example.com' }
const service = await testService({}, MAIL)

/** These colours have too little contrast with one of the cards, so the button needs an edge there. */
const COLOUR = '#ffe08a'
const BACKGROUND = '#5b2a86'
const LOOK = { colour: COLOUR, background: BACKGROUND, radius: 'small', font: 'source_serif' } as const

async function sent(): Promise<{ readonly raw: string; readonly text: string; readonly html: string }> {
  await runJob(service.deps, 'send-mails')
  const [mail, ...more] = server.accepted.splice(0)
  assert.ok(mail !== undefined && more.length === 0)
  return { raw: mail.raw, text: partOf(mail.raw, 'text/plain'), html: partOf(mail.raw, 'text/html') }
}

async function mailLink(tenant: string, environment: 'test' | 'live' = 'test') {
  const key = await service.key(tenant, { environment })
  const body = { template: 'age_over_18', purpose: 'To sell you wine', mail: { to: 'erika@example.org' } }
  const link = await service.call('POST', '/v1/links', { key, body })
  assert.equal(link.status, 201, link.text)
  return { ...(await sent()), url: String(link.json.url) }
}

/** Returns the colours of the style's rules, on light and on dark screens. */
function themesOf(html: string) {
  const [light = '', dark = ''] = html.split('@media (prefers-color-scheme: dark)')
  const find = (part: string, pattern: RegExp) => pattern.exec(part)?.[1] ?? assert.fail(`${pattern} in ${part}`)
  const inline = find(html, /class="button"[^>]*style="([^"]+)"/)
  return {
    light: {
      ground: find(light, /body \{[^}]*background: (#\w{6})/),
      onGround: find(light, /\.sender \{[^}]*[^-]color: (#\w{6})/),
      button: find(inline, /background:(#\w{6})/),
      onButton: find(inline, /;color:(#\w{6})/),
      edge: find(inline, /border:1px solid (#\w{6})/),
    },
    dark: {
      ground: find(dark, /body \{[^}]*background: (#\w{6})/),
      onGround: find(dark, /\.sender, \.foot \{[^}]*color: (#\w{6})/),
      button: find(dark, /\.button \{ background: (#\w{6}) !important/),
      onButton: find(dark, / color: (#\w{6}) !important/),
      edge: find(dark, /border-color: (#\w{6}) !important/),
    },
  }
}

it('a link to a person has the brand of its environment; the text is the same as without', async () => {
  const tenant = await service.tenant({ name: 'Grünhof' })
  const plain = await mailLink(tenant)
  const [logo, logoDark] = [png(32), png(48)]
  await dress(service, tenant, { ...LOOK, logo, logoDark })
  const { raw, html, text, url } = await mailLink(tenant)
  assert.equal(text.replaceAll(url, ''), plain.text.replaceAll(plain.url, ''))
  assert.ok(html.includes('font: 16px/1.5 "Source Serif 4", Georgia, serif'))
  assert.match(html, /border-radius:4px;background:#ffe08a/)
  const { light, dark } = themesOf(html)
  assert.deepEqual([light.button, dark.button, light.ground], [COLOUR, COLOUR, BACKGROUND])
  assert.notEqual(light.edge, COLOUR, 'too bright for a white card')
  for (const [theme, colours] of Object.entries({ light, dark })) {
    assert.ok(contrast(colours.button, colours.onButton) >= 4.5, `${theme}: text on the button`)
    assert.ok(contrast(colours.edge, CARDS[theme as 'light' | 'dark']) >= 3, `${theme}: edge of the button`)
    assert.ok(contrast(colours.ground, colours.onGround) >= 4.5, `${theme}: text on the background`)
  }
  assert.ok(html.includes('src="cid:logo@mail"') && html.includes('src="cid:logo-dark@mail"'))
  assert.deepEqual(bytesOf(raw, 'image/png', '<logo@mail>'), logo)
  assert.deepEqual(bytesOf(raw, 'image/png', '<logo-dark@mail>'), logoDark)
  assert.doesNotMatch(html, /src="(?!cid:)|url\(/, 'nothing is loaded from elsewhere')
  assert.doesNotMatch(html, new RegExp(themesOf(plain.html).light.button))
})

it('without a brand, or with a logo that mail programs cannot show, the mail has only the name', async () => {
  const tenant = await service.tenant({ name: 'Demo' })
  const plain = await mailLink(tenant)
  assert.doesNotMatch(plain.raw, /image\//)
  assert.match(plain.html, /<p class="sender">Demo<\/p>/)
  await dress(service, tenant, { name: 'Corner shop' })
  const branded = await mailLink(tenant)
  assert.doesNotMatch(branded.raw, /image\//)
  assert.match(branded.html, /<p class="sender">Corner shop<\/p>/)
  assert.equal(themesOf(branded.html).light.button, '#0b6b4f')
})

it("an invitation has the brand of live, otherwise of test; mails about an account are the service's own", async () => {
  const tenant = await service.tenant({ name: 'Weinhandlung' })
  const owner = await person(service, tenant, 'owner')
  const invite = async (email: string) => {
    const answer = await owner.call('POST', '@/team/invite', { body: { email, role: 'admin' } })
    assert.equal(answer.json.mail, 'queued')
    return sent()
  }
  const plain = themesOf((await invite('a@example.org')).html).light.button
  await dress(service, tenant, { colour: '#7a1f5c' })
  assert.equal(themesOf((await invite('b@example.org')).html).light.button, '#7a1f5c')
  await dress(service, tenant, { colour: '#123456', environment: 'live' })
  assert.equal(themesOf((await invite('c@example.org')).html).light.button, '#123456')
  const other = await service.tenant({ name: 'Other' })
  assert.equal(themesOf((await mailLink(other)).html).light.button, plain)
})

function png(side: number): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(side, 0)
  head.writeUInt32BE(side, 4)
  head.set([8, 6, 0, 0, 0], 8)
  const chunk = (type: string, data: Uint8Array) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  }
  const pixels = deflateSync(
    Buffer.alloc(side * (1 + side * 4), 0x7f).map((value, at) => (at % (1 + side * 4) === 0 ? 0 : value)),
  )
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))])
}
