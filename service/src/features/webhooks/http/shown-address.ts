// Addresses of webhooks as staff see them.

import { reaches } from '../../staff/domain/person.ts'
import type { Staff } from '../../staff/http/access.ts'

/** An address may bear a secret: whole for those who may set it, its origin for viewers. */
export function shownAddress({ role }: Pick<Staff, 'role'>, url: string): string {
  return reaches(role, 'admin') ? url : (URL.parse(url)?.origin ?? '')
}
