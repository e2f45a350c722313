// The shortest form of a result: a yes or no, or the person.

export type Answer =
  | { readonly kind: 'answers'; readonly yes: readonly string[]; readonly no: readonly string[] }
  | { readonly kind: 'person'; readonly name: string; readonly born: string | null }
  | { readonly kind: 'other' }

/** Returns null if there are no readable claims. `isContradicted`: another credential may deny what the claims affirm. */
export function answerOf(claims: Readonly<Record<string, unknown>> | null, isContradicted = false): Answer | null {
  if (claims === null) return null
  const entries = Object.entries(claims)
  const named = (value: boolean) => entries.flatMap(([name, one]) => (one === value ? [name] : []))
  const [yes, no] = [named(true), named(false)]
  if (entries.length > 0 && yes.length + no.length === entries.length)
    return isContradicted && no.length === 0 ? { kind: 'other' } : { kind: 'answers', yes, no }
  const text = (name: string) => (typeof claims[name] === 'string' ? claims[name] : '')
  const name = [text('given_name'), text('family_name')].filter((part) => part !== '').join(' ')
  const [born] = /^\d{4}-\d{2}-\d{2}$/.exec(text('birth_date') || text('birthdate')) ?? []
  return name === '' ? { kind: 'other' } : { kind: 'person', name, born: born ?? null }
}
