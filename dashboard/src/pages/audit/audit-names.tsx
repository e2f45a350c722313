// Shows who did something, and to what: by their current names, with links.

import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { AuditEntry } from '../../../../wire/audit.ts'
import { usePageWords } from '../../preferences.tsx'
import { useHere } from '../../session.tsx'
import { auditWords } from '../../words/audit.ts'

type Named = AuditEntry['actor']

/** Returns the page that shows an object; null: there is none. */
function pageOf({ type, id }: Named): string | null {
  switch (type) {
    case 'verification':
      return `/verifications/${id}`
    case 'webhook_delivery':
      return `/webhooks/${id}`
    default:
      return PAGES[type] ?? null
  }
}

const PAGES: Readonly<Record<string, string>> = {
  api_key: '/keys',
  device: '/devices',
  user: '/team',
  oidc_client: '/clients',
  template: '/templates',
  webhook_secret: '/webhooks',
  webhook_endpoint: '/webhooks',
  webhook_deliveries: '/webhooks',
  webhook_destination: '/webhooks',
  anchor: '/trust',
  trust_list: '/trust',
  certificate: '/trust',
  origin: '/trust',
  registration: '/registration',
  operator_request: '/going-live',
  result_key: '/settings',
  branding: '/branding',
  usage_alerts: '/usage',
  tenant: '/settings',
}
/** Types of objects whose ids tell people nothing. */
const NAMELESS = new Set([
  'operator',
  'system',
  'wallet',
  'tenant',
  'branding',
  'usage_alerts',
  'webhook_secret',
  'webhook_deliveries',
  'origin',
  'registration',
  'anchor',
  'certificate',
  'link',
])

export function Actor({ actor, children }: { actor: Named; children?: ReactNode }) {
  const { actors, former } = usePageWords(auditWords)
  const kind = actors[actor.type] ?? actor.type
  const isGone = actor.type === 'user' && actor.name === null
  return (
    <Label kind={kind} thing={actor} fallback={isGone ? former : null} isKindObvious={actor.type === 'user'}>
      {children}
    </Label>
  )
}

/** Renders nothing if actor and object are the same: "mia signed in mia". */
export function Thing({ entry }: { entry: AuditEntry }) {
  const { actor, object } = entry
  const { objects } = usePageWords(auditWords)
  if (isSame(actor, object)) return null
  return (
    <Label kind={objects[object.type] ?? object.type} thing={object} fallback={calledIn(entry)} isKindObvious wraps />
  )
}

/** Actor and object in one line, without links. */
export function Names({ entry }: { entry: AuditEntry }) {
  const { actor, object } = entry
  const { actors, objects, former } = usePageWords(auditWords)
  const who = nameOf(actor, actor.type === 'user' ? former : null) ?? actors[actor.type] ?? actor.type
  const what = nameOf(object, calledIn(entry))
  return [who, isSame(actor, object) ? null : (what ?? objects[object.type] ?? object.type)]
    .filter((part) => part !== null)
    .join(' · ')
}

const isSame = (actor: Named, object: Named) => actor.type === object.type && actor.id === object.id

interface LabelProps {
  readonly kind: string
  readonly thing: Named
  readonly fallback: string | null
  /** Whether an object's type is obvious: it is already shown, or the name says it, like an e-mail address. */
  readonly isKindObvious: boolean
  /** Long names break into lines. An e-mail address would break at any hyphen. */
  readonly wraps?: boolean
  readonly children?: ReactNode
}

function Label({ kind, thing, fallback, isKindObvious, wraps = false, children }: LabelProps) {
  const here = useHere()
  const page = pageOf(thing)
  const name = nameOf(thing, fallback)
  const title = name === null ? kind : name
  return (
    <span className={`sm:flex sm:items-center ${wraps ? '' : 'sm:whitespace-nowrap'}`}>
      {name !== null && !isKindObvious && <span className="mr-1.5 text-soft">{kind}</span>}
      {page === null ? (
        <span title={thing.id}>{title}</span>
      ) : (
        <Link
          to={here.page(page)}
          title={[kind, name, thing.id].filter((part) => part !== null).join(' · ')}
          className="text-accent underline"
        >
          {title}
        </Link>
      )}
      {children}
    </span>
  )
}

/** Returns null if only its type tells people anything. */
const nameOf = ({ type, id, name }: Named, fallback: string | null): string | null =>
  name ?? fallback ?? (NAMELESS.has(type) ? null : shortened(id))

/** Returns the name in the entry itself, for objects without a current name, which may be deleted. */
export const calledIn = ({ object, details }: AuditEntry): string | null => {
  const detail = NAMING[object.type]
  const value = detail === undefined ? undefined : details?.[detail]
  return typeof value === 'string' ? value : null
}

const NAMING: Readonly<Record<string, string>> = { origin: 'origin', registration: 'intended_use', anchor: 'subject' }

const shortened = (id: string) => (id.length > 14 ? `${id.slice(0, 13)}…` : id)
