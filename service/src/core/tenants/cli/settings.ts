// vidimus settings <tenant>: shows a tenant's settings, or changes the named ones.

import { type Command, Option } from 'commander'
import { type CliWorld, OPERATOR } from '../../../cli/world.ts'
import { answer, CliProblem, table } from '../../../platform/cli/print.ts'
import { parseSetting, type SettingValue, valuesOf } from '../domain/setting.ts'
import {
  contentInEffect,
  effectiveSettings,
  fromWire,
  type NamedSetting,
  SETTINGS,
  toWire,
} from '../domain/settings.ts'
import { changeSettings, readSettings } from '../usecases/manage-settings.ts'

export function addSettingsCommand(program: Command, world: CliWorld): void {
  const settings = program
    .command('settings')
    .description("a tenant's settings: show them, or change those that are named")
    .argument('<tenant>', 'its id')
  for (const one of SETTINGS) if (one.setting.kind !== 'text') settings.addOption(optionOf(one))
  settings.action(async (tenantId: string, options: Readonly<Record<string, SettingValue>>, command: Command) => {
    const named = SETTINGS.flatMap(({ key, name }) =>
      options[key] === undefined ? [] : [[name, options[key]] as const],
    )
    const change = fromWire(Object.fromEntries(named))
    const shown = await world.withDeps(async (deps) => {
      const stored =
        named.length === 0
          ? await readSettings(deps, tenantId)
          : await changeSettings(deps, { tenantId, change, actor: OPERATOR })
      if (stored === null) return null
      const content = contentInEffect(stored, deps.config.forwardOnly)
      return { stored, inEffect: { ...effectiveSettings(stored, deps.config.haip), content } }
    })
    if (shown === null) throw new CliProblem(`there is no tenant ${tenantId}`)
    const [stored, inEffect] = [toWire(shown.stored), toWire(shown.inEffect)]
    const rows = SETTINGS.map(({ name }) => [name, String(stored[name] ?? '-'), String(inEffect[name] ?? '-')])
    const note = rows.some(([, kept, used]) => kept !== used) ? NOTE : ''
    const text = `${table(['SETTING', 'STORED', 'IN EFFECT'], rows)}${note}`
    answer(world, command, { json: { ...stored, in_effect: inEffect }, text })
  })
}

const NOTE =
  '\nWhere they differ, HAIP (haip, VIDIMUS_HAIP) or the operator (forward_only, VIDIMUS_FORWARD_ONLY) overrides yours.'

/** The value is found under the setting's key, because commander turns `--retention-days` into `retentionDays`. */
function optionOf({ name, setting }: NamedSetting): Option {
  const flag = `--${name.replaceAll('_', '-')}`
  return new Option(`${flag} <value>`, `${setting.label.en}: ${valuesOf(setting)}`).argParser((text: string) => {
    const value = parseSetting(setting, text)
    if (value === null) throw new CliProblem(`${flag} must be ${valuesOf(setting)}, not '${text}'`)
    return value
  })
}
