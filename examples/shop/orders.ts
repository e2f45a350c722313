// The shop's orders, in memory: an example keeps nothing.

import { randomBytes } from 'node:crypto'

export interface Order {
  readonly number: string
  /** The browser that placed it; no other browser may read it. */
  readonly session: string
  readonly verificationId: string
  readonly walletUri: string
  state: 'waiting' | 'sold' | 'refused'
}

export interface Orders {
  add(order: Omit<Order, 'state'>): Order
  ofSession(session: string): Order | undefined
  ofNumber(number: string): Order | undefined
}

export function createOrders(): Orders {
  const byNumber = new Map<string, Order>()
  const bySession = new Map<string, Order>()
  return {
    add(placed) {
      const order: Order = { ...placed, state: 'waiting' }
      byNumber.set(order.number, order)
      bySession.set(order.session, order)
      return order
    },
    ofSession: (session) => bySession.get(session),
    ofNumber: (number) => byNumber.get(number),
  }
}

export const newSecret = () => randomBytes(24).toString('base64url')
