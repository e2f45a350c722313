// What `npm start` prints for a person. Contains secrets only at the first start.

import type { World } from './assemble.ts'
import type { Tenant } from './core/tenants/domain/tenant.ts'
import type { Invitation } from './features/staff/domain/invitation.ts'

/** Printed first, because a slow machine takes a minute until anything else is printed. */
export const creatingStore = (dataDir: string) => `  Creating a database in ${dataDir} (only at the first start) …\n`

export function welcome(
  world: Pick<World, 'deps' | 'store'>,
  demo: { tenant: Tenant; key: string; invitation: Invitation } | null,
): string {
  const { baseUrl, sandbox } = world.deps.config
  const change = world.store.embedded
    ? 'set DATABASE_URL to use a PostgreSQL of your own'
    : 'unset DATABASE_URL to use the embedded one'
  const lines = [
    '',
    `  Vidimus is running at ${baseUrl}`,
    '',
    `  Dashboard   ${demo?.invitation.url ?? `${baseUrl}/dashboard`}`,
    ...(demo === null ? [] : ['              (this link signs you in once, within 24 hours)']),
    `  Docs        ${baseUrl}/docs`,
    ...(sandbox ? [`  Test wallet ${baseUrl}/sandbox/wallet`] : []),
    `  Store       ${world.store.description} (${change})`,
  ]
  if (demo !== null) {
    lines.push(
      '',
      `  A demo tenant was created for you (${demo.tenant.id}). Its test key is shown this once:`,
      '',
      `    ${demo.key}`,
      '',
      '  Ask for a proof of age, and answer it with the test wallet:',
      '',
      `    curl -s ${baseUrl}/v1/verifications -H 'Authorization: Bearer ${demo.key}' \\`,
      `      -H 'Content-Type: application/json' -d '{"template":"age_over_18","purpose":"To try Vidimus"}'`,
      ...(sandbox ? [`    npm run -s vidimus -- wallet present latest`] : []),
      `    curl -s ${baseUrl}/v1/verifications/<id> -H 'Authorization: Bearer ${demo.key}'`,
      '',
      `  Or open ${baseUrl}/verify/<id> in a browser: the page a holder sees${sandbox ? ', next to the test wallet' : ''}.`,
    )
  }
  return `${lines.join('\n')}\n\n`
}
