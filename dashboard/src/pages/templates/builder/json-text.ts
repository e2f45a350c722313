// Parses JSON with line numbers: of syntax errors, and of members that the service refuses. As strict as JSON.parse.

export type JsonFault =
  | 'ends_early'
  | 'value_expected'
  | 'name_expected'
  | 'colon_expected'
  | 'comma_expected'
  | 'trailing_comma'
  | 'bad_text'
  | 'bad_number'
  | 'more_after_end'
  | 'name_twice'
  | 'too_deep'

export type JsonText =
  | { readonly outcome: 'json'; readonly value: unknown; readonly lineOf: (path: string) => number }
  | { readonly outcome: 'fault'; readonly fault: JsonFault; readonly line: number; readonly column: number }

const DEPTH_MAX = 64

export function readJsonText(text: string): JsonText {
  const reader = new Reader(text)
  try {
    const value = reader.document()
    const { lines } = reader
    return { outcome: 'json', value, lineOf: (path) => lineOf(lines, path) }
  } catch (error) {
    if (!(error instanceof Faulty)) throw error
    const before = text.slice(0, error.at).split('\n')
    return { outcome: 'fault', fault: error.fault, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
  }
}

/** Returns the line of the path, or of its nearest existing parent. */
function lineOf(lines: ReadonlyMap<string, number>, path: string): number {
  let known = path
  while (known !== '' && !lines.has(known)) known = known.replace(/(?:^|\.)[^.[\]]*$|\[[^\]]*\]$/, '')
  return lines.get(known) ?? 1
}

class Faulty extends Error {
  readonly fault: JsonFault
  readonly at: number

  constructor(fault: JsonFault, at: number) {
    super(fault)
    this.fault = fault
    this.at = at
  }
}

class Reader {
  /** Lines by path, as the service writes it: `query.credentials[0].meta`. */
  readonly lines = new Map<string, number>()
  readonly #text: string
  #at = 0
  #line = 1

  constructor(text: string) {
    this.#text = text
  }

  document(): unknown {
    const value = this.#value('', 0)
    this.#blank()
    if (this.#at < this.#text.length) throw new Faulty('more_after_end', this.#at)
    return value
  }

  #value(path: string, depth: number): unknown {
    this.#blank()
    if (depth > DEPTH_MAX) throw new Faulty('too_deep', this.#at)
    if (!this.lines.has(path)) this.lines.set(path, this.#line)
    const next = this.#text[this.#at]
    if (next === '{') return this.#object(path, depth)
    if (next === '[') return this.#list(path, depth)
    if (next === '"') return this.#string()
    for (const [word, value] of WORDS) {
      if (!this.#text.startsWith(word, this.#at)) continue
      this.#at += word.length
      return value
    }
    return this.#number()
  }

  #object(path: string, depth: number): object {
    const members = new Map<string, unknown>()
    this.#at += 1
    while (this.#goesOn('}', members.size)) {
      this.#blank()
      const [begin, line] = [this.#at, this.#line]
      if (this.#text[begin] !== '"') throw this.#missing('name_expected')
      const name = this.#string()
      if (members.has(name)) throw new Faulty('name_twice', begin)
      this.#blank()
      if (this.#text[this.#at] !== ':') throw this.#missing('colon_expected')
      this.#at += 1
      const inner = path === '' ? name : `${path}.${name}`
      // A member is on the line of its name.
      this.lines.set(inner, line)
      members.set(name, this.#value(inner, depth + 1))
    }
    return Object.fromEntries(members)
  }

  #list(path: string, depth: number): unknown[] {
    const items: unknown[] = []
    this.#at += 1
    while (this.#goesOn(']', items.length)) items.push(this.#value(`${path}[${items.length}]`, depth + 1))
    return items
  }

  /** Whether another item follows. Consumes the end. */
  #goesOn(end: '}' | ']', sofar: number): boolean {
    this.#blank()
    if (this.#text[this.#at] === end) {
      this.#at += 1
      return false
    }
    if (sofar === 0) return true
    if (this.#text[this.#at] !== ',') throw this.#missing('comma_expected')
    const comma = this.#at
    this.#at += 1
    this.#blank()
    if (this.#text[this.#at] === end) throw new Faulty('trailing_comma', comma)
    return true
  }

  #string(): string {
    const [found] = /^"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|\x7f|[\x80-\x9f])*"/u.exec(this.#rest()) ?? []
    if (found === undefined) throw new Faulty('bad_text', this.#at)
    this.#at += found.length
    return JSON.parse(found)
  }

  #number(): number {
    const [found] = /^-?[0-9.eE+-]+/.exec(this.#rest()) ?? []
    if (found === undefined) throw this.#missing('value_expected')
    if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(found)) throw new Faulty('bad_number', this.#at)
    this.#at += found.length
    return Number(found)
  }

  #rest(): string {
    return this.#text.slice(this.#at)
  }

  #missing(fault: JsonFault): Faulty {
    return new Faulty(this.#at >= this.#text.length ? 'ends_early' : fault, this.#at)
  }

  #blank(): void {
    for (; this.#at < this.#text.length && ' \t\r\n'.includes(this.#text[this.#at] ?? '?'); this.#at += 1) {
      if (this.#text[this.#at] === '\n') this.#line += 1
    }
  }
}

const WORDS: readonly (readonly [string, unknown])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
]
