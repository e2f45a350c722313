// Writes docs/settings.md from the service's own table of settings. A test compares the file with it.

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Setting } from '../service/src/core/tenants/domain/setting.ts'
import { SETTINGS } from '../service/src/core/tenants/domain/settings.ts'

export const SETTINGS_PAGE = join(import.meta.dirname, '..', 'docs', 'settings.md')

export function renderSettingsPage(): string {
  const rows = SETTINGS.map(({ name, setting }) => {
    const byDefault = setting.kind === 'switch' ? (setting.fallback ? 'on' : 'off') : (setting.fallback ?? 'none')
    return `| \`${name}\` | ${valuesOf(setting)} | \`${byDefault}\` | ${setting.label.en}. ${setting.explanation.en}${holderOf(setting)} |`
  })
  const ruled = SETTINGS.filter(({ key, setting }) => setting.underHaip !== undefined && key !== 'haip')
  return `# Settings of a tenant

<!-- Written by "node tools/generate-settings-page.ts" from the code's own table. -->

What a company sets for itself, in both environments. An admin changes them on the dashboard's page of settings; the operator with
\`vidimus settings <tenant> --retention-days 7\`: the option has the setting's name, with dashes. Without options the command shows what is stored and what is in effect. Each change is
an entry of the audit trail.

| setting | values | default | meaning |
|---|---|---|---|
${rows.join('\n')}

Where \`haip\` is on, for the company or for all (\`VIDIMUS_HAIP\`), it decides: ${ruled.map(({ name, setting }) => `\`${name}\` is \`${setting.underHaip}\``).join(', ')}. What was set comes back when it is off.
`
}

const holderOf = ({ holder }: Setting) => (holder === undefined ? '' : ` For the holder: ${holder.en}`)

function valuesOf(setting: Setting): string {
  switch (setting.kind) {
    case 'switch':
      return '`on`, `off`'
    case 'number':
      return `${setting.min} to ${setting.max} ${setting.unit.en}`
    case 'choice':
      return setting.choices
        .map(({ value, en }) => (en.startsWith(`${value}`) ? `\`${value}\`` : `\`${value}\` (${en})`))
        .join(', ')
    case 'text':
      return `set by \`${setting.changedBy}\` alone`
  }
}

if (import.meta.main) await writeFile(SETTINGS_PAGE, renderSettingsPage())
