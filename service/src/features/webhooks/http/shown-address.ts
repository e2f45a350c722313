// Addresses of webhooks as staff see them.

/** An address may bear a secret: whole for those who may set it, its origin for viewers. */
import { reaches, type Staff } from '../../staff/index.ts'
export function shownAddress({ role }: Pick<Staff, 'role'>, url: string): string {
  return reaches(role, 'admin') ? url : (URL.parse(url)?.origin ?? '')
}
