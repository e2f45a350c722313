// One exchange with the server: a few statements in one message, their answers in another. The driver by itself would send them one
// by one, and have the columns of each described at every call; here they are described once a connection.

import type pg from 'pg'
import { type EncodedValue, valueTypes } from './values.ts'

/** Prepared under its name at its first use on a connection. */
export interface Sent {
  readonly name: string
  /** Absent: a statement. */
  readonly part?: 'begin' | 'commit'
  readonly text: string
  readonly values: readonly EncodedValue[]
  /** At every call, for its very values; nothing of it stays on the connection. */
  readonly plannedAnew?: true
  /** Its rows are not even parsed: then nothing can go wrong here once it is done there. */
  readonly unread?: boolean
}

/** How long the answer to each part of a message may be out, in ms; to a message, so long as to all of its parts together. */
export type AnswerLimits = Readonly<Record<'statement' | NonNullable<Sent['part']>, number>>

export interface Answered {
  /** What PostgreSQL says that it has done: `COMMIT`, `SELECT 1`. */
  readonly command: string
  readonly rows: object[]
}

interface Column {
  readonly name: string
  readonly parse: (text: string) => unknown
}

interface Shape {
  readonly columns: readonly Column[]
  /** A row of nulls, whose copies are filled: an object that gets dozens of names one by one is slow to read and to spread ever after. */
  readonly blank: Readonly<Record<string, null>>
}

const NO_COLUMNS: Shape = { columns: [], blank: {} }

/** What a connection has prepared, by name, with the shape of its rows; null: that is not known yet. */
type Prepared = Map<string, Shape | null>

const preparedOn = new WeakMap<pg.Connection, Prepared>()

/** In order; where one fails, the server does nothing of what is behind it. Rejects with what went wrong, for `judge`. */
export function exchange(
  client: pg.ClientBase,
  sent: readonly Sent[],
  limits: AnswerLimits,
): Promise<readonly Answered[]> {
  const withinMs = sent.reduce((sum, { part }) => sum + limits[part ?? 'statement'], 0)
  return new Promise((resolve, reject) => {
    client.query(
      new Exchange(sent, withinMs, (error, answers) => {
        if (answers === undefined) reject(error)
        else resolve(answers)
      }),
    )
  })
}

type Callback = (error: unknown, answers?: readonly Answered[]) => void

interface Description {
  readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[]
}

/** The driver hands to it every message of the server, until the server is ready for the next or says that something failed. */
class Exchange implements pg.Submittable {
  /** The driver puts its own around it, which knows the time limit. */
  callback: Callback
  /** The driver's name for that limit. */
  readonly query_timeout: number
  readonly #sent: readonly Sent[]
  readonly #answers: Answered[] = []
  #prepared: Prepared = new Map()
  /** Whose preparation the server has not confirmed yet. */
  readonly #preparing: string[] = []
  #rows: object[] = []
  #unreadable: unknown = null
  #done: () => void = () => undefined

  constructor(sent: readonly Sent[], withinMs: number, callback: Callback) {
    this.#sent = sent
    this.query_timeout = withinMs
    this.callback = callback
  }

  submit(connection: pg.Connection): void {
    this.#prepared = preparedOn.get(connection) ?? new Map()
    preparedOn.set(connection, this.#prepared)
    // One write for all of it.
    connection.stream.cork()
    try {
      for (const one of this.#sent) this.#put(connection, one)
      connection.sync()
    } finally {
      connection.stream.uncork()
    }
    if (this.#preparing.length > 0) this.#awaitPreparations(connection)
  }

  #put(connection: pg.Connection, { name, text, values, plannedAnew }: Sent): void {
    const shape = plannedAnew ? undefined : this.#prepared.get(name)
    const preparedAs = plannedAnew ? '' : name
    if (shape === undefined) {
      connection.parse({ name: preparedAs, text, types: [] }, true)
      this.#preparing.push(name)
    }
    connection.bind({ statement: preparedAs, values: [...values] }, true)
    if (shape === undefined || shape === null) connection.describe({ type: 'P' }, true)
    connection.execute(null, true)
  }

  /** The driver passes these on for one statement only. What was prepared stays so, also where its use then fails. */
  #awaitPreparations(connection: pg.Connection): void {
    const onPrepared = () => {
      const name = this.#preparing.shift()
      if (name !== undefined) this.#prepared.set(name, null)
    }
    connection.on('parseComplete', onPrepared)
    this.#done = () => void connection.off('parseComplete', onPrepared)
  }

  handleRowDescription({ fields }: Description): void {
    const columns = fields.map(({ name, dataTypeID }) => ({
      name,
      parse: valueTypes.getTypeParser(dataTypeID, 'text'),
    }))
    const current = this.#current()
    // As JSON is read: with all of its names at once.
    const blank = JSON.parse(`{${columns.map(({ name }) => `${JSON.stringify(name)}:null`).join(',')}}`)
    if (current !== undefined) this.#prepared.set(current.name, { columns, blank })
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const current = this.#current()
    if (current === undefined || current.unread === true || this.#unreadable !== null) return
    try {
      this.#rows.push(rowOf(this.#prepared.get(current.name) ?? NO_COLUMNS, fields))
    } catch (error) {
      this.#unreadable = error
    }
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    const current = this.#current()
    // Nothing was described: it has no columns.
    if (current !== undefined && this.#prepared.get(current.name) === null) this.#prepared.set(current.name, NO_COLUMNS)
    this.#answers.push({ command: text, rows: this.#rows })
    this.#rows = []
  }

  handleReadyForQuery(): void {
    this.#done()
    if (this.#unreadable !== null) this.callback(this.#unreadable)
    else if (this.#answers.length !== this.#sent.length) this.callback(new Error('the server answered something else'))
    else this.callback(null, this.#answers)
  }

  handleError(error: unknown): void {
    this.#done()
    this.callback(error)
  }

  /** Of an empty text. */
  handleEmptyQuery(): void {
    this.handleCommandComplete({ text: '' })
  }

  handlePortalSuspended(connection: pg.Connection): void {
    endUnexpected(connection, 'a statement stopped half-way')
  }

  handleCopyInResponse(connection: pg.Connection): void {
    endUnexpected(connection, 'COPY has nothing to copy')
  }

  handleCopyData(_message: unknown, connection: pg.Connection): void {
    endUnexpected(connection, 'COPY has nowhere to copy to')
  }

  /** The one that the server is answering. */
  #current(): Sent | undefined {
    return this.#sent[this.#answers.length]
  }
}

/** Then all that is under way on it fails. */
function endUnexpected(connection: pg.Connection, why: string): void {
  connection.stream.destroy(new Error(`bug: ${why}`))
}

function rowOf({ columns, blank }: Shape, fields: readonly (string | null)[]): object {
  const row: Record<string, unknown> = { ...blank }
  for (let i = 0; i < columns.length; i += 1) {
    const column = columns[i]
    const text = fields[i]
    if (column === undefined || text === undefined) throw new RangeError('bug: a row without one of its columns')
    row[column.name] = text === null ? null : column.parse(text)
  }
  return row
}
