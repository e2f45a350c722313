// Describes the settings of a tenant.

import { type Static, Type } from 'typebox'
import { Closed, List, oneOf, orNull } from './parts.ts'
import { SETTING_GROUPS } from './values/settings.ts'

export const SettingValue = Type.Union([Type.Boolean(), Type.Number(), Type.String(), Type.Null()])
export type SettingValue = Static<typeof SettingValue>

const Words = Closed({ en: Type.String(), de: Type.String() })

/** A setting, with everything that the page needs for its field. */
export const Setting = Closed({
  name: Type.String(),
  group: oneOf(...SETTING_GROUPS),
  kind: oneOf('switch', 'number', 'choice', 'text'),
  label: Words,
  explanation: Words,
  holder: orNull(Words),
  value: SettingValue,
  under_haip: orNull(SettingValue),
  forced: orNull(SettingValue),
  min: Type.Optional(Type.Integer({ description: 'Of a number' })),
  max: Type.Optional(Type.Integer({ description: 'Of a number' })),
  unit: Type.Optional(Words),
  choices: Type.Optional(List(Closed({ value: SettingValue, label: Words }))),
  none: Type.Optional(Words),
})
export type Setting = Static<typeof Setting>

export const Settings = Closed({ settings: List(Setting) })
export type Settings = Static<typeof Settings>

/** The service's table of settings defines members and values. */
export const SettingsChange = Type.Unsafe<Readonly<Record<string, SettingValue>>>({ type: 'object' })
export type SettingsChange = Static<typeof SettingsChange>
