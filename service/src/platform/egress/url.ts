// Decides by the text alone whether we may send to a URL. Refuses texts that two parsers could read differently.

import { addressBytes } from '../cidr.ts'
import { type AddressReason, classifyAddress } from './address.ts'
import { isSingleLabel, type NameReason, refuseName } from './names.ts'
import type { EgressPolicy } from './policy.ts'

export type UrlReason =
  | AddressReason
  | NameReason
  | 'too_long'
  | 'bad_characters'
  | 'backslash'
  | 'scheme'
  | 'unparseable'
  | 'userinfo'
  | 'fragment'
  | 'percent_in_host'
  | 'port_not_canonical'
  | 'port'
  | 'host_not_canonical'
  | 'address_literal'

export interface CheckedUrl {
  readonly href: string
  readonly scheme: 'http' | 'https'
  /** Lower-case name, or the literal without brackets. */
  readonly host: string
  /** The value of the Host header. */
  readonly authority: string
  /** For a literal: the address, already checked. */
  readonly address: Uint8Array | null
  readonly port: number
  /** Path and query. */
  readonly path: string
  /** Why only addresses on the allow list may be reached, which the resolver enforces. null: public addresses, too. */
  readonly onlyAllowListed: 'port' | 'single_label' | null
}

type UrlVerdict =
  | { readonly outcome: 'ok'; readonly url: CheckedUrl }
  | { readonly outcome: 'refused'; readonly reason: UrlReason }

const URL_CHARACTERS_MAX = 2048

export function checkUrl(text: string, policy: EgressPolicy): UrlVerdict {
  if (text.length > URL_CHARACTERS_MAX) return refused('too_long')
  if (!/^[\x21-\x7e]*$/.test(text)) return refused('bad_characters')
  if (text.includes('\\')) return refused('backslash')
  const authority = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1]
  if (authority === undefined) return refused('scheme')
  const parsed = URL.parse(text)
  if (parsed === null) return refused('unparseable')
  if (authority.includes('@')) return refused('userinfo')
  if (text.includes('#')) return refused('fragment')
  if (authority.includes('%')) return refused('percent_in_host')
  const [, rawHost, portText] = /^(\[[0-9a-f:.]+\]|[^:[\]]+)(?::(.*))?$/i.exec(authority) ?? []
  if (rawHost === undefined) return refused('unparseable')
  if (portText !== undefined && !/^[1-9][0-9]{0,4}$/.test(portText)) return refused('port_not_canonical')

  const scheme = parsed.protocol === 'https:' ? 'https' : 'http'
  const port = portText === undefined ? DEFAULT_PORT[scheme] : Number(portText)
  const address = addressBytes(parsed.hostname.replace(/^\[|\]$/g, ''))
  const reason = address === null ? refuseName(parsed.hostname, policy) : refuseLiteral(address, policy)
  if (reason !== null) return refused(reason)
  // The written host must equal the parsed host. This refuses `127.2`, soft hyphens and full-width dots.
  if (rawHost.toLowerCase() !== parsed.hostname) return refused('host_not_canonical')

  const isUnusualPort = !policy.ports.has(port)
  if (isUnusualPort && !mayBeAllowListed(address, policy)) return refused('port')
  const isNameWithoutDot = address === null && isSingleLabel(parsed.hostname)
  const onlyAllowListed = isNameWithoutDot ? 'single_label' : isUnusualPort ? 'port' : null
  const host = address === null ? parsed.hostname : parsed.hostname.replace(/^\[|\]$/g, '')
  const path = parsed.pathname + parsed.search
  return {
    outcome: 'ok',
    url: { href: parsed.href, scheme, host, authority: parsed.host, address, port, path, onlyAllowListed },
  }
}

const DEFAULT_PORT = { http: 80, https: 443 } as const

function refuseLiteral(address: Uint8Array, policy: EgressPolicy): UrlReason | null {
  const verdict = classifyAddress(address, policy)
  if (!verdict.allowed) return verdict.reason
  return verdict.by === 'public' && policy.environment === 'live' ? 'address_literal' : null
}

/** Whether the allow list may have the host. A name may still resolve into it; a literal is either on it or not. */
function mayBeAllowListed(address: Uint8Array | null, policy: EgressPolicy): boolean {
  if (address === null) return policy.allow.length > 0
  const verdict = classifyAddress(address, policy)
  return verdict.allowed && verdict.by === 'allow_list'
}

function refused(reason: UrlReason): UrlVerdict {
  return { outcome: 'refused', reason }
}
