// What `npm start` tells a person. Secrets are in it only at the first start.

import type { Tenant } from './domain/tenant.ts'
import type { World } from './wire.ts'

export function welcome(world: Pick<World, 'deps' | 'store'>, demo: { tenant: Tenant; key: string } | null): string {
  const { baseUrl } = world.deps.config
  const change = world.store.embedded
    ? 'set DATABASE_URL to use a PostgreSQL of your own'
    : 'unset DATABASE_URL to use the embedded one'
  const lines = [
    '',
    `  Vidimus is running at ${baseUrl}`,
    '',
    `  API page   ${baseUrl}/docs`,
    `  Store      ${world.store.description} (${change})`,
  ]
  if (demo !== null) {
    lines.push(
      '',
      `  A demo tenant was made for you (${demo.tenant.id}). Its test key is shown this once:`,
      '',
      `    ${demo.key}`,
      '',
      '  Try it:',
      '',
      `    curl -s ${baseUrl}/v1/usage -H 'Authorization: Bearer ${demo.key}'`,
    )
  }
  return `${lines.join('\n')}\n\n`
}
