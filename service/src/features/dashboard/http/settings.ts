// Routes of a tenant's settings: descriptions, values, and a change of all values.

import { type TSchema, Type } from 'typebox'
import { oneOf } from '../../../../../wire/parts.ts'
import type { Settings } from '../../../../../wire/settings.ts'
import type { Setting, SettingValue, TextSetting } from '../../../core/tenants/domain/setting.ts'
import { fromWire, SETTINGS, type TenantSettings } from '../../../core/tenants/domain/settings.ts'
import { changeSettings, readSettings } from '../../../core/tenants/usecases/manage-settings.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { App } from '../../../platform/http/app.ts'
import { permitted, schemaOf, staffOf } from '../../staff/index.ts'

/** Settings that only the operator sets are neither shown nor accepted here. */
const OFFERED = SETTINGS.filter(({ setting }) => setting.byOperatorOnly !== true)

const SettingsBody = Type.Unsafe<Record<string, SettingValue>>(
  Type.Object(
    Object.fromEntries(
      OFFERED.flatMap(({ name, setting }) => (setting.kind === 'text' ? [] : [[name, schemaOfSetting(setting)]])),
    ),
    { additionalProperties: false },
  ),
)

export function addSettingsRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'GET @/settings'),
    handler: async (request) => render(deps, await readSettings(deps, staffOf(request).realm.tenantId)),
  })
  app.route({
    ...permitted(deps, 'POST @/settings'),
    schema: { ...schemaOf('POST @/settings'), body: SettingsBody },
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      const change = fromWire(request.body)
      return render(deps, await changeSettings(deps, { tenantId: realm.tenantId, change, actor }))
    },
  })
}

function schemaOfSetting(setting: Exclude<Setting, TextSetting>): TSchema {
  switch (setting.kind) {
    case 'switch':
      return Type.Boolean()
    case 'number':
      return Type.Integer({ minimum: setting.min, maximum: setting.max })
    case 'choice':
      return oneOf(...setting.choices.map(({ value }) => value))
  }
}

function render({ config }: Pick<Deps, 'config'>, settings: TenantSettings | null): Settings {
  if (settings === null) throw new Refusal('not_found')
  const isForward = config.forwardOnly || settings.forwardOnly
  return {
    settings: OFFERED.map(({ key, name, setting }) => ({
      name,
      group: setting.group,
      kind: setting.kind,
      label: setting.label,
      explanation: setting.explanation,
      holder: setting.holder ?? null,
      value: settings[key],
      under_haip: setting.underHaip ?? null,
      forced: key === 'content' && isForward ? 'forward' : null,
      ...(setting.kind === 'number' ? { min: setting.min, max: setting.max, unit: setting.unit } : {}),
      ...(setting.kind === 'choice'
        ? { choices: setting.choices.map(({ value, en, de }) => ({ value, label: { en, de } })) }
        : {}),
      ...(setting.kind === 'text' ? { none: setting.none } : {}),
    })),
  }
}
