// Webhook addresses as staff see them.

/** An address may contain a secret. Staff who may change it see all of it; others see only its origin. */
import { reaches, type Staff } from '../../staff/index.ts'
export function shownAddress({ role }: Pick<Staff, 'role'>, url: string): string {
  return reaches(role, 'admin') ? url : (URL.parse(url)?.origin ?? '')
}
