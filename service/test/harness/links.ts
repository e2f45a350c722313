// Opens a link like a browser: loads its page, then presses the button with the page's cookie.

import { FORM } from '../wallet/verifications.ts'
import type { TestService } from './service.ts'

/** What a browser sends with the button. */
export const BUTTON = { ...FORM, 'sec-fetch-site': 'same-origin' }

export async function pressLink(service: TestService, url: string, remoteAddress = '203.0.113.7') {
  const page = await service.app.inject({ method: 'GET', url, remoteAddress })
  const cookie = String(page.headers['set-cookie']).split(';')[0] ?? ''
  return service.app.inject({ method: 'POST', url, remoteAddress, headers: { ...BUTTON, cookie } })
}
