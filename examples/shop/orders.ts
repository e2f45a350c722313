// Visitors, their baskets and their orders, only in memory, because this is an example.

import { randomBytes } from 'node:crypto'
import type { Product } from './products.ts'

export interface Visitor {
  /** The secret in the visitor's cookie. */
  readonly session: string
  readonly basket: Product[]
  order: Order | null
  /** The given name, once they have signed in. */
  name: string | null
  /** The state between "sign in" and the return. */
  signIn: { readonly verifier: string; readonly state: string; readonly nonce: string } | null
}

export interface Order {
  readonly number: string
  readonly items: readonly Product[]
  readonly payment: Payment
  /** null: there is nothing to prove and no payment to confirm. */
  readonly verification: { readonly id: string; readonly walletUri: string } | null
  state: 'waiting' | 'sold' | 'refused'
  /** Why it was refused, and what to do; null: it was not refused. */
  refusal: string | null
}

export type Payment = 'invoice' | 'wallet'

/** The maximum number: the oldest are deleted first. */
const VISITORS_MAX = 10_000
export const BASKET_MAX = 20

export function createVisitors() {
  const bySession = new Map<string, Visitor>()
  return {
    add(): Visitor {
      const visitor: Visitor = { session: newSecret(), basket: [], order: null, name: null, signIn: null }
      bySession.set(visitor.session, visitor)
      for (const oldest of bySession.keys()) {
        if (bySession.size <= VISITORS_MAX) break
        bySession.delete(oldest)
      }
      return visitor
    },
    find: (session: string) => bySession.get(session),
    whoOrdered: (number: string) => bySession.values().find(({ order }) => order?.number === number),
  }
}

export const totalOf = (items: readonly Product[]) => items.reduce((sum, { price }) => sum + price, 0)
export const needsAge = (items: readonly Product[]) => items.some(({ adult }) => adult)

export const newOrderNumber = () => `SW-${randomBytes(5).toString('hex').toUpperCase()}`
export const newSecret = () => randomBytes(24).toString('base64url')
