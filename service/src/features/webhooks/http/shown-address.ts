// Addresses of the merchant as staff see them.

import { reaches, type Staff } from '../../staff/index.ts'

/** An address may contain a secret. Staff who may change it see all of it; others see only its origin, or its scheme. */
export function shownAddress({ role }: Pick<Staff, 'role'>, url: string): string {
  const { origin, protocol } = URL.parse(url) ?? { origin: '', protocol: '' }
  return reaches(role, 'admin') ? url : origin === 'null' ? protocol : origin
}
