// Webhook addresses as staff see them.

/** An address may carry a secret: staff who may set it see it whole, viewers see its origin. */
import { reaches, type Staff } from '../../staff/index.ts'
export function shownAddress({ role }: Pick<Staff, 'role'>, url: string): string {
  return reaches(role, 'admin') ? url : (URL.parse(url)?.origin ?? '')
}
