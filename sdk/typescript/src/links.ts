// Links that create a verification when a person opens them: for e-mails, text messages, invoices and posters.

import type { Send } from './transport.ts'
import type { CallOptions, CreateOptions } from './verifications.ts'
import type { CreatedLink, CreateLink, Link, LinkListQuery } from './wire.ts'

/** Exactly one of `template` and `query`. */
export type NewLink =
  | (Omit<CreateLink, 'query'> & { template: string; query?: never })
  | (Omit<CreateLink, 'template'> & { query: NonNullable<CreateLink['query']>; template?: never })

export interface Links {
  /** Only this answer has `url`: send or store it now. */
  create(link: NewLink, options?: CreateOptions): Promise<CreatedLink>
  get(id: string, options?: CallOptions): Promise<Link>
  /** One page, newest first. */
  list(page?: LinkListQuery, options?: CallOptions): Promise<Link[]>
  /** Stops the link. Verifications that it has already created continue. Revoking twice is not an error. */
  revoke(id: string, options?: CallOptions): Promise<Link>
}

const BASE = '/v1/links'

export function createLinks(send: Send): Links {
  return {
    create: (body, { idempotencyKey = crypto.randomUUID(), signal } = {}) =>
      send({ method: 'POST', path: BASE, body, idempotencyKey, repeatable: true, signal }),
    get: (id, { signal } = {}) => send({ method: 'GET', path: pathOf(id), repeatable: true, signal }),
    async list({ limit, before } = {}, { signal } = {}) {
      const query = { limit, before }
      return (await send<{ data: Link[] }>({ method: 'GET', path: BASE, query, repeatable: true, signal })).data
    },
    revoke: (id, { signal } = {}) => send({ method: 'DELETE', path: pathOf(id), repeatable: true, signal }),
  }
}

/** Refuses an empty id, which would turn a read into a list. */
function pathOf(id: string): string {
  if (typeof id !== 'string' || id === '') throw new TypeError('the id of a link is missing')
  return `${BASE}/${encodeURIComponent(id)}`
}
