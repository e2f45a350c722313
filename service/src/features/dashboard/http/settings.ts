// The settings of a tenant in the dashboard: what there is, in words, with what is stored; and a change of all of them.

import { type TSchema, Type } from 'typebox'
import {
  SETTING_GROUPS,
  type Setting,
  type SettingValue,
  type TextSetting,
} from '../../../core/tenants/domain/setting.ts'
import { fromWire, SETTINGS, type TenantSettings } from '../../../core/tenants/domain/settings.ts'
import { changeSettings, readSettings } from '../../../core/tenants/usecases/manage-settings.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { App } from '../../../platform/http/app.ts'
import { permitted, staffOf } from '../../staff/http/access.ts'
import { Answer, List, oneOf, orNull, Part, RealmParams } from '../../staff/http/fields.ts'

const Value = Type.Unsafe<SettingValue>({
  ...Type.Union([Type.Boolean(), Type.Number(), Type.String(), Type.Null()]),
  $id: 'SettingValue',
})
const Words = Part({ en: Type.String(), de: Type.String() })

/** One setting as the page needs it: a field is made from this alone. */
const SettingAnswer = Answer('Setting', {
  name: Type.String(),
  group: oneOf(...SETTING_GROUPS),
  kind: oneOf('switch', 'number', 'choice', 'text'),
  label: Words,
  explanation: Words,
  holder: orNull(Words),
  value: Value,
  under_haip: orNull(Value),
  forced: orNull(Value),
  min: Type.Optional(Type.Integer({ description: 'Of a number' })),
  max: Type.Optional(Type.Integer({ description: 'Of a number' })),
  choices: Type.Optional(List(Part({ value: Value, label: Words }))),
  none: Type.Optional(Words),
})

const SettingsAnswer = Answer('Settings', { settings: List(SettingAnswer) })

/** What only the operator sets is neither shown nor taken here; what it decides of others is said beside them. */
const OFFERED = SETTINGS.filter(({ setting }) => setting.byOperatorOnly !== true)

const SettingsBody = Type.Unsafe<Record<string, SettingValue>>(
  Type.Object(
    Object.fromEntries(
      OFFERED.flatMap(({ name, setting }) => (setting.kind === 'text' ? [] : [[name, schemaOf(setting)]])),
    ),
    { additionalProperties: false },
  ),
)

export function addSettingsRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'GET @/settings'),
    schema: { hide: true, params: RealmParams, response: { 200: SettingsAnswer } },
    handler: async (request) => render(deps, await readSettings(deps, staffOf(request).realm.tenantId)),
  })
  app.route({
    ...permitted(deps, 'POST @/settings'),
    schema: { hide: true, params: RealmParams, body: SettingsBody, response: { 200: SettingsAnswer } },
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      const change = fromWire(request.body)
      return render(deps, await changeSettings(deps, { tenantId: realm.tenantId, change, actor }))
    },
  })
}

function schemaOf(setting: Exclude<Setting, TextSetting>): TSchema {
  switch (setting.kind) {
    case 'switch':
      return Type.Boolean()
    case 'number':
      return Type.Integer({ minimum: setting.min, maximum: setting.max })
    case 'choice':
      return oneOf(...setting.choices.map(({ value }) => value))
  }
}

function render({ config }: Pick<Deps, 'config'>, settings: TenantSettings | null): Type.Static<typeof SettingsAnswer> {
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
      ...(setting.kind === 'number' ? { min: setting.min, max: setting.max } : {}),
      ...(setting.kind === 'choice'
        ? { choices: setting.choices.map(({ value, en, de }) => ({ value, label: { en, de } })) }
        : {}),
      ...(setting.kind === 'text' ? { none: setting.none } : {}),
    })),
  }
}
