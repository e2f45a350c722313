// The public interface for code that reads the claims of verified credentials.

export { type Birth, createBirthReader } from './birth-date.ts'
export { base64Of, base64ToBase64url, withFewMarks } from './bytes.ts'
export { equalJson, firstOfEachName, isJsonObject, isLongerThan, jsonLength } from './json.ts'
export { createResultBudget, type ResultBudget } from './limits.ts'
export { presentationNames } from './openid4vp/fields.ts'
export { hasPath, overlapsPath, pathTreeOf, valueAt, withoutPaths } from './path-tree.ts'
