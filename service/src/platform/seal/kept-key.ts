// Where a kept key belongs when it is sealed.

export const keptKeySealContext = (label: string) => `kept_keys.sealed|service|${label}`
