// Decides whether a name belongs to the public internet, without DNS.

export type NameReason =
  | 'trailing_dot'
  | 'host_too_long'
  | 'single_label'
  | 'special_use_name'
  | 'label'
  | 'top_level_label'
  | 'own_host'

/** Suffixes outside of the public DNS, by standard or custom. Names with these suffixes may resolve to hosts inside of a network. */
const SPECIAL_USE = [
  'localhost', // RFC 6761
  'local', // RFC 6762 multicast DNS; cluster.local of Kubernetes
  'internal', // ICANN 2024, private use; metadata.google.internal, host.docker.internal
  'localdomain', // custom of many distributions
  'lan', // custom of home routers
  'home', // ICANN: never to be delegated, collides with internal names
  'corp', // ICANN, as home
  'mail', // ICANN, as home
  'intranet', // RFC 6762 appendix G
  'private', // RFC 6762 appendix G
  'arpa', // reverse zones and home.arpa (RFC 8375)
  'onion', // RFC 7686
  'alt', // RFC 9476
  'i2p', // another network
  'test', // RFC 6761
  'example', // RFC 6761
  'invalid', // RFC 6761
  'svc', // Kubernetes service names
  'consul', // service discovery
] as const

/** A name without a dot, such as `localhost`, which only a machine or a network of the operator resolves. */
export const isSingleLabel = (host: string) => !host.includes('.')

interface NameRules {
  readonly ownHosts: ReadonlySet<string>
  readonly allow: readonly unknown[]
  readonly allowsInsideNames: boolean
}

/** `host` is lower case. null: no objection, but a single label may only resolve to addresses on the allow list. */
export function refuseName(host: string, { ownHosts, allow, allowsInsideNames }: NameRules): NameReason | null {
  if (host.endsWith('.')) return 'trailing_dot'
  if (host.length > 253) return 'host_too_long'
  const labels = host.split('.')
  if (isSingleLabel(host) && allow.length === 0) return 'single_label'
  if (!allowsInsideNames && SPECIAL_USE.some((suffix) => host.endsWith(`.${suffix}`))) return 'special_use_name'
  if (!labels.every((label) => LABEL.test(label))) return 'label'
  // Every top-level domain is letters or an A-label; a last label with digits could be a spelling of IPv4.
  if (!isSingleLabel(host) && !TOP_LEVEL.test(labels.at(-1) ?? '')) return 'top_level_label'
  if (ownHosts.has(host)) return 'own_host'
  return null
}

/** RFC 1035 2.3.1, with digits first (RFC 1123) and the underscore that real receivers use. */
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/
const TOP_LEVEL = /^(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/
