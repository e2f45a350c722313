// Addresses of webhooks as staff see them.

import { reaches } from '../../domain/staff/person.ts'
import type { Staff } from './access.ts'

/** An address may bear a secret: whole for those who may set it, its origin for viewers. */
export function shownAddress({ role }: Pick<Staff, 'role'>, url: string): string {
  return reaches(role, 'admin') ? url : (URL.parse(url)?.origin ?? '')
}
