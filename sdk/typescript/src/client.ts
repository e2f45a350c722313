// The merchant's client: it calls the routes of merchants and devices, with the types of the service.

import { createDevices, type Devices } from './device/devices.ts'
import { createLinks, type Links } from './links.ts'
import { sleep } from './sleep.ts'
import { createTransport, type Sleep } from './transport.ts'
import { type CallOptions, createVerifications, type Verifications } from './verifications.ts'
import type { Usage } from './wire.ts'

export interface VidimusOptions {
  /** The address of the service: `https://verify.example.com`. */
  readonly baseUrl: string
  /** `vk_test_…` or `vk_live_…`. A secret of your server: never send it to a browser or an app. */
  readonly apiKey: string
  /** The timeout of each attempt. Default 30,000. */
  readonly timeoutMs?: number
  /** How often a call is retried, if that is safe. Default 3; 0 for never. */
  readonly retries?: number
  /** The client does not wait for a longer `Retry-After`. Default 60,000. */
  readonly longestWaitMs?: number
  /** Default: the runtime's own. */
  readonly fetch?: typeof globalThis.fetch
  /** For tests: how to wait. Default: by the runtime's timers. */
  readonly sleep?: Sleep
  /** For tests: milliseconds since the epoch. Default: the clock of this machine. */
  readonly now?: () => number
}

/**
 * ```ts
 * const vidimus = new Vidimus({ baseUrl: 'https://verify.example.com', apiKey: process.env.VIDIMUS_API_KEY ?? '' })
 * const { id, wallet_uri } = await vidimus.verifications.create({ template: 'age_over_18', purpose: 'To sell you wine' })
 * // show wallet_uri as a QR code, then:
 * const result = await vidimus.verifications.waitForResult(id)
 * if (result.status === 'completed' && result.claims?.age_over_18 === true) admit()
 * ```
 *
 * Every method rejects with a `VidimusError`, or with the reason of your `signal`.
 */
export class Vidimus {
  readonly verifications: Verifications
  readonly links: Links
  readonly devices: Devices
  readonly usage: { get(options?: CallOptions): Promise<Usage> }

  constructor(options: VidimusOptions) {
    // Closures keep the key: neither inspecting nor serialising a client shows it.
    const world = { sleep: options.sleep ?? sleep, now: options.now ?? Date.now }
    const send = createTransport({
      baseUrl: checkBaseUrl(options.baseUrl),
      apiKey: checkKey(options.apiKey),
      fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
      timeoutMs: checkNumber(options.timeoutMs ?? 30_000, 'timeoutMs', 1),
      retries: checkNumber(options.retries ?? 3, 'retries', 0),
      longestWaitMs: checkNumber(options.longestWaitMs ?? 60_000, 'longestWaitMs', 0),
      sleep: world.sleep,
    })
    this.verifications = createVerifications(send, world)
    this.links = createLinks(send)
    this.devices = createDevices(send)
    this.usage = { get: ({ signal } = {}) => send({ method: 'GET', path: '/v1/usage', repeatable: true, signal }) }
  }
}

function checkBaseUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null
  const plain = url !== null && url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  if (plain && (url.protocol === 'https:' || url.protocol === 'http:')) return url.href.replace(/\/+$/, '')
  throw new TypeError('baseUrl must be the address of the service, such as https://verify.example.com')
}

/** Throws immediately for an unset variable or a pasted line end, and never shows the value. */
function checkKey(apiKey: string): string {
  if (typeof apiKey === 'string' && /^(?:vk_(?:test|live)_|vd_)[\x21-\x7e]+$/.test(apiKey)) return apiKey
  throw new TypeError(
    'apiKey must be a key of Vidimus: it begins with vk_test_ or vk_live_ and contains no white space',
  )
}

function checkNumber(value: number, name: string, least: number): number {
  if (Number.isFinite(value) && value >= least) return value
  throw new RangeError(`${name} must be a number, ${least} or more`)
}
