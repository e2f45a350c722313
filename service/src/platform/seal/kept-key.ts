// Defines the seal context of a kept key.

export const keptKeySealContext = (label: string) => `kept_keys.sealed|service|${label}`
