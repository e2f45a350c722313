// Defines the kinds of settings: wire names, allowed values and parsing. settings.ts lists the settings.

import type { SETTING_GROUPS } from '../../../../../wire/values/settings.ts'

/** null: a text setting without a value. */
export type SettingValue = boolean | number | string | null

/** The text for people, in each language of the dashboard. */
export interface Words {
  readonly en: string
  readonly de: string
}

type SettingGroup = (typeof SETTING_GROUPS)[number]

interface Described<Value extends SettingValue> {
  readonly group: SettingGroup
  readonly label: Words
  /** Its effect, in a sentence or two; shown below the field and in docs/settings.md. */
  readonly explanation: Words
  /** What it changes for the holder; absent: nothing. */
  readonly holder?: Words
  /** The value of a new tenant: the default of its column. */
  readonly fallback: Value
  /** The value that replaces the stored one if HAIP is on. */
  readonly underHaip?: Value
  /** Only the operator can change it, and the dashboard does not show it. */
  readonly byOperatorOnly?: true
}

interface SwitchSetting extends Described<boolean> {
  readonly kind: 'switch'
}

interface NumberSetting extends Described<number> {
  readonly kind: 'number'
  /** Shown after the number. */
  readonly unit: Words
  readonly min: number
  readonly max: number
}

interface ChoiceSetting extends Described<string | number> {
  readonly kind: 'choice'
  readonly choices: readonly (Words & { readonly value: string | number })[]
}

/** Shown with the other settings, but changed elsewhere, because the change takes more than a value. */
export interface TextSetting extends Described<null> {
  readonly kind: 'text'
  /** The text that is shown if there is no value. */
  readonly none: Words
  /** The command that changes it. */
  readonly changedBy: string
}

export type Setting = SwitchSetting | NumberSetting | ChoiceSetting | TextSetting
export type SettingsTable = Readonly<Record<string, Setting>>

type ValueOf<S extends Setting> = S extends SwitchSetting
  ? boolean
  : S extends NumberSetting
    ? number
    : S extends ChoiceSetting
      ? S['choices'][number]['value']
      : S extends TextSetting
        ? string | null
        : never

export type SettingsOf<T extends SettingsTable> = { readonly [K in keyof T]: ValueOf<T[K]> }

/** Its column, and its name in JSON: `retentionDays` is `retention_days`. */
export function wireNameOf(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

export function takes(setting: Setting, value: SettingValue): boolean {
  switch (setting.kind) {
    case 'switch':
      return typeof value === 'boolean'
    case 'number':
      return typeof value === 'number' && Number.isInteger(value) && value >= setting.min && value <= setting.max
    case 'choice':
      return setting.choices.some((choice) => choice.value === value)
    case 'text':
      return false
  }
}

/** Parses a value from the command line; null if the setting does not allow it. */
export function parseSetting(setting: Setting, text: string): SettingValue | null {
  switch (setting.kind) {
    case 'switch':
      return text === 'on' ? true : text === 'off' ? false : null
    case 'number':
      return /^\d{1,9}$/.test(text) && takes(setting, Number(text)) ? Number(text) : null
    case 'choice':
      return setting.choices.find(({ value }) => String(value) === text)?.value ?? null
    case 'text':
      return null
  }
}

/** The allowed values, for people: `on or off`, `1 to 3650`. */
export function valuesOf(setting: Setting): string {
  switch (setting.kind) {
    case 'switch':
      return 'on or off'
    case 'number':
      return `${setting.min} to ${setting.max} ${setting.unit.en}`
    case 'choice':
      return setting.choices.map(({ value }) => value).join(' or ')
    case 'text':
      return `as \`${setting.changedBy}\` sets it`
  }
}

/** The allowed values as JSON and YAML write them. */
export const valuesInJson = (setting: Setting): string =>
  setting.kind === 'switch' ? 'true or false' : valuesOf(setting)
