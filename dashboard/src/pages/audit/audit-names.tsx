// Who did something, and to what: by the names they have today, with the way there.

import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { AuditEntry } from '../../answers.ts'
import { usePageWords } from '../../preferences.tsx'
import { useHere } from '../../session.tsx'
import { auditWords } from '../../words/audit.ts'

type Named = AuditEntry['actor']

/** The page where a thing is shown; null: nowhere by itself. */
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
/** Their ids say nothing to anybody. */
const NAMELESS = new Set([
  'operator',
  'system',
  'wallet',
  'tenant',
  'branding',
  'usage_alerts',
  'webhook_secret',
  'webhook_deliveries',
])

export function Actor({ actor, children }: { actor: Named; children?: ReactNode }) {
  const { actors, former } = usePageWords(auditWords)
  const kind = actors[actor.type] ?? actor.type
  const isGone = actor.type === 'user' && actor.name === null
  return (
    <Label kind={kind} thing={actor} fallback={isGone ? former : null}>
      {children}
    </Label>
  )
}

export function Thing({ object }: { object: Named }) {
  const { objects } = usePageWords(auditWords)
  return <Label kind={objects[object.type] ?? object.type} thing={object} fallback={null} />
}

interface LabelProps {
  readonly kind: string
  readonly thing: Named
  readonly fallback: string | null
  readonly children?: ReactNode
}

function Label({ kind, thing, fallback, children }: LabelProps) {
  const here = useHere()
  const page = pageOf(thing)
  const name = thing.name ?? fallback ?? (NAMELESS.has(thing.type) ? null : shortened(thing.id))
  const title = name === null ? kind : name
  return (
    <>
      <span>
        {page === null ? (
          <span title={thing.id}>{title}</span>
        ) : (
          <Link to={here.page(page)} title={thing.id} className="text-accent underline">
            {title}
          </Link>
        )}
        {children}
      </span>
      {name !== null && <span className="block text-[13px] text-soft">{kind}</span>}
    </>
  )
}

const shortened = (id: string) => (id.length > 14 ? `${id.slice(0, 13)}…` : id)
