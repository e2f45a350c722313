// Webhook addresses as staff see them.

/** An address may contain a secret: staff who may change it see all of it, others see its origin. */
import { reaches, type Staff } from '../../staff/index.ts'
export function shownAddress({ role }: Pick<Staff, 'role'>, url: string): string {
  return reaches(role, 'admin') ? url : (URL.parse(url)?.origin ?? '')
}
