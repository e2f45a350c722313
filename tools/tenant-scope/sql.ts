// Parses a statement as far as the tenant check needs it: which tables each query uses, and what binds their tenant.

/** Replaces an expression of the code within the text of a statement. */
export const OPEN = '¿'

/** One select, insert, update or delete. A subquery is a separate query. */
interface Query {
  readonly tokens: readonly string[]
  readonly inner: readonly Subquery[]
}

interface Subquery {
  readonly parts: readonly Query[]
  /** `lateral (…) r`: conditions outside may bind its tenant as `r.tenant_id`. */
  readonly alias: string | null
}

interface Reference {
  readonly table: string
  readonly alias: string
  readonly isInsert: boolean
  /** Whether an insert lists `tenant_id`, or columns that the code chooses. The tables then require a tenant. */
  readonly listsTenant: boolean
}

const TOKEN = /'(?:[^']|'')*'|"[^"]*"|--[^\n]*|[\w$.¿]+|[(),;=]|[^\s\w]/g
const QUERY_STARTS = new Set(['select', 'with', 'insert', 'update', 'delete', 'values'])
const SET_OPERATIONS = new Set(['union', 'except', 'intersect'])
const BEFORE_TABLE = new Set(['from', 'join', 'update', 'into', 'using', 'only'])
const NOT_ALIASES = new Set(
  `where on set join left right inner cross full order group limit for returning using union except intersect values default
   offset lateral natural select having window fetch and or when then`.split(/\s+/),
)
/** Names in these lists restrict nothing. */
const LIST_STARTS = new Set(['select', 'returning', 'set', 'order', 'group'])
const LIST_ENDS = new Set(['from', 'where', 'on', 'join', 'into', 'limit', 'having', 'using', 'offset', 'for'])
const TENANTS = 'tenants'
const NAME = /^[\w¿]+$/
const TENANT = /^(?:([\w¿]+)\.)?tenant_id$/

/** The tenant tables that the statement uses without naming their tenant, once each. */
export function tablesWithoutTenant(text: string, tables: ReadonlySet<string>): string[] {
  const tokens = (text.match(TOKEN) ?? []).map((token) => token.toLowerCase()).filter((token) => !/^['-]./.test(token))
  return [...new Set(parse(tokens).flatMap((query) => judge(query, tables, false)))]
}

function parse(tokens: readonly string[]): readonly Query[] {
  let at = 0
  function level(): readonly Query[] {
    const parts: { tokens: string[]; inner: Subquery[] }[] = [{ tokens: [], inner: [] }]
    for (; at < tokens.length && tokens[at] !== ')'; at += 1) {
      const token = tokens[at] ?? ''
      const part = parts.at(-1) ?? { tokens: [], inner: [] }
      if (SET_OPERATIONS.has(token)) parts.push({ tokens: [], inner: [] })
      else if (token !== '(') part.tokens.push(token)
      else {
        at += 1
        const isQuery = QUERY_STARTS.has(tokens[at] ?? '')
        const within = level()
        const alias = nameAt(tokens, at + 1)
        if (isQuery) part.inner.push({ parts: within, alias })
        part.tokens.push('(', ...(isQuery ? [] : within.flatMap((one) => one.tokens)), ')')
        if (!isQuery) part.inner.push(...within.flatMap((one) => one.inner))
      }
    }
    return parts
  }
  const all: Query[] = []
  // A fragment may close a bracket that another fragment opened.
  for (; at < tokens.length; at += 1) all.push(...level())
  return all
}

/** Returns the alias at a position, after an optional `as`. */
function nameAt(tokens: readonly string[], at: number): string | null {
  const name = tokens[at] === 'as' ? tokens[at + 1] : tokens[at]
  return name !== undefined && NAME.test(name) && !NOT_ALIASES.has(name) ? name : null
}

function judge({ tokens: written, inner }: Query, tables: ReadonlySet<string>, isBound: boolean): string[] {
  const tokens = withTenantIds(written)
  const touched = referencesIn(tokens, tables)
  const bound = isBound ? null : boundAliases(tokens, touched)
  const lacking = touched.filter(
    ({ table, alias, listsTenant }) => table !== TENANTS && !listsTenant && bound !== null && !bound.has(alias),
  )
  return [
    ...lacking.map(({ table }) => table),
    ...inner.flatMap(({ parts, alias }) =>
      parts.flatMap((part) => judge(part, tables, bound === null || (alias !== null && bound.has(alias)))),
    ),
  ]
}

function referencesIn(tokens: readonly string[], tables: ReadonlySet<string>): Reference[] {
  return tokens.flatMap((table, at) => {
    const before = tokens[at - 1] ?? ''
    const isLock = before === 'update' && ['for', 'key'].includes(tokens[at - 2] ?? '')
    const isReferred =
      (BEFORE_TABLE.has(before) && !isLock) || (before === ',' && table !== OPEN && isInFrom(tokens, at))
    if (!isReferred || !(tables.has(table) || table === TENANTS || table === OPEN)) return []
    const isInsert = before === 'into'
    const listed = isInsert ? listAfter(tokens, at) : []
    const listsTenant = listed.includes('tenant_id') || listed.includes(OPEN)
    return [{ table, alias: nameAt(tokens, at + 1) ?? table, isInsert, listsTenant }]
  })
}

/** The id of a row of `tenants` counts as a tenant. */
function withTenantIds(tokens: readonly string[]): readonly string[] {
  const aliases = referencesIn(tokens, new Set()).filter(({ table }) => table === TENANTS)
  const ids = new Set(aliases.map(({ alias }) => `${alias}.id`))
  return tokens.map((token) => (ids.has(token) ? token.replace(/id$/, 'tenant_id') : token))
}

/** Whether a comma is in a list of tables, as in `from a, b`. */
function isInFrom(tokens: readonly string[], at: number): boolean {
  const last = tokens.slice(0, at).findLast((token) => LIST_STARTS.has(token) || LIST_ENDS.has(token) || token === '(')
  return last === 'from' || last === 'using'
}

function listAfter(tokens: readonly string[], at: number): readonly string[] {
  const opens = tokens.indexOf('(', at)
  return opens < 0 || opens > at + 3 ? [] : tokens.slice(opens, tokens.indexOf(')', opens))
}

/**
 * Returns the names whose tenant a condition binds to a value, or to a row with a bound tenant. If two tables are only
 * compared with each other, both are bound only if one of them is bound elsewhere.
 */
function boundAliases(tokens: readonly string[], touched: readonly Reference[]): ReadonlySet<string> {
  const read = touched.filter(({ isInsert }) => !isInsert).map(({ alias }) => alias)
  const [only] = new Set(read).size === 1 ? read : []
  const isRead = new Set(read)
  const bound = new Set<string>()
  const openTables = new Set<string>()
  const pairs: [string, string][] = []
  for (const [at, token] of conditionsOf(tokens)) {
    const owner = TENANT.exec(token)
    if (owner === null) continue
    const alias = owner[1] ?? only
    if (alias === undefined) continue
    const other = tenantOwner(comparedWith(tokens, at))
    if (other === alias) {
      // The code chooses both names: these two rows have one tenant, which proves nothing about others.
      if (alias === OPEN) openTables.add(OPEN)
      continue
    }
    if (other !== null && isRead.has(other)) pairs.push([alias, other])
    else if (!isComparedBackwards(tokens, at, isRead)) bound.add(alias)
  }
  // Repeats this for each pair, because a chain of comparisons binds all of its tables.
  for (const _ of pairs)
    for (const [a, b] of pairs) {
      if (bound.has(a)) bound.add(b)
      if (bound.has(b)) bound.add(a)
    }
  if (bound.has(OPEN)) for (const alias of read) bound.add(alias)
  return bound.union(openTables)
}

const tenantOwner = (token: string | undefined) => (token === undefined ? null : (TENANT.exec(token)?.[1] ?? null))

/** Returns the right side of `= x` and `is not distinct from x`. */
function comparedWith(tokens: readonly string[], at: number): string | undefined {
  if (tokens[at + 1] === '=') return tokens[at + 2]
  return tokens[at + 1] === 'is' && tokens[at + 4] === 'from' ? tokens[at + 5] : undefined
}

/** Whether this is the right side of a comparison with another table's tenant. The left side has recorded the pair. */
function isComparedBackwards(tokens: readonly string[], at: number, isRead: ReadonlySet<string>): boolean {
  const isRight = tokens[at - 1] === '=' || tokens[at - 1] === 'from'
  const left = tenantOwner(tokens[tokens[at - 1] === '=' ? at - 2 : at - 5])
  return isRight && left !== null && isRead.has(left)
}

function conditionsOf(tokens: readonly string[]): [number, string][] {
  const found: [number, string][] = []
  let isInList = false
  for (const [at, token] of tokens.entries()) {
    if (LIST_STARTS.has(token)) isInList = true
    else if (LIST_ENDS.has(token) && tokens[at - 1] !== 'distinct') isInList = false
    if (!isInList) found.push([at, token])
  }
  return found
}
