// Sends several statements to the server in one message and reads their answers.

import type pg from 'pg'
import { outlivedBy } from './day-tables.ts'
import { type EncodedValue, valueTypes } from './values.ts'

/** A statement to send. Prepared under its name at its first use on a connection. */
export interface Sent {
  readonly name: string
  /** Default: a statement of the caller. */
  readonly part?: 'begin' | 'commit'
  readonly text: string
  /** Default: `name`. */
  readonly preparedAs?: string
  /** The day whose tables the text names, if it does. */
  readonly day?: number
  readonly values: readonly EncodedValue[]
  /** Planned for its values at every call, and not prepared. */
  readonly replanEachCall?: true
  /** Does not parse the rows, so that nothing can fail here after the server succeeded. */
  readonly unread?: boolean
}

/** Timeout in ms for the answer to each part of a message. The timeout of a message is the sum of its parts. */
export type AnswerLimits = Readonly<Record<'statement' | NonNullable<Sent['part']>, number>>

export interface Answered {
  /** PostgreSQL's command tag: `COMMIT`, `SELECT 1`. */
  readonly command: string
  readonly rows: object[]
}

interface Column {
  readonly name: string
  readonly parse: (text: string) => unknown
}

interface Shape {
  readonly columns: readonly Column[]
  /**
   * A row of nulls to copy and fill. An object that gets dozens of properties one by one stays slow to read and to
   * spread.
   */
  readonly blank: Readonly<Record<string, null>>
}

const NO_COLUMNS: Shape = { columns: [], blank: {} }

/** The statements that a connection has prepared, by name, with the shape of their rows. null: not known yet. */
type Prepared = Map<string, Shape | null>

const preparedOn = new WeakMap<pg.Connection, Prepared>()

/**
 * Runs the statements in order. After a failure the server skips the rest. Rejects with the error, for `classifyError`. The
 * driver itself would send them one by one and describe the columns at every call.
 */
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

/**
 * The driver passes every message of the server to this object until the server reports a failure, or is ready for the
 * next exchange.
 */
class Exchange implements pg.Submittable {
  /** The driver's timer keeps this function alive, so a call drops its references to the rows. */
  callback: Callback = (error, answers) => {
    const settle = this.#settle
    this.#settle = null
    this.#sent = []
    this.#answers = []
    settle?.(error, answers)
  }
  /** The timeout in ms, under the name that the driver reads. */
  readonly query_timeout: number
  #sent: readonly Sent[]
  #answers: Answered[] = []
  #settle: Callback | null
  #prepared: Prepared = new Map()
  /** Statements whose preparation the server has not confirmed yet. */
  readonly #preparing: string[] = []
  /** Statements whose removal the server has not confirmed yet. */
  readonly #closing: string[] = []
  #rows: object[] = []
  #unreadable: unknown = null
  #done: () => void = () => undefined

  constructor(sent: readonly Sent[], withinMs: number, callback: Callback) {
    this.#sent = sent
    this.query_timeout = withinMs
    this.#settle = callback
  }

  submit(connection: pg.Connection): void {
    this.#prepared = preparedOn.get(connection) ?? new Map()
    preparedOn.set(connection, this.#prepared)
    // Collects the whole message, to send it in a single write.
    connection.stream.cork()
    try {
      for (const one of this.#sent) this.#put(connection, one)
      connection.sync()
    } finally {
      connection.stream.uncork()
    }
    if (this.#preparing.length > 0) this.#awaitPreparations(connection)
  }

  #put(connection: pg.Connection, sent: Sent): void {
    const { text, values, replanEachCall } = sent
    const name = nameOf(sent)
    const shape = replanEachCall ? undefined : this.#prepared.get(name)
    const preparedAs = replanEachCall ? '' : name
    if (shape === undefined) {
      const old = sent.day === undefined || replanEachCall ? [] : outlivedBy(sent.day, this.#prepared.keys())
      for (const one of old) connection.close({ type: 'S', name: one }, true)
      this.#closing.push(...old)
      connection.parse({ name: preparedAs, text, types: [] }, true)
      this.#preparing.push(name)
    }
    connection.bind({ statement: preparedAs, values: [...values] }, true)
    if (shape === undefined || shape === null) connection.describe({ type: 'P' }, true)
    connection.execute(null, true)
  }

  /**
   * The driver emits these events for one statement only. A prepared statement stays prepared even if its execution
   * fails.
   */
  #awaitPreparations(connection: pg.Connection): void {
    const onPrepared = () => {
      const name = this.#preparing.shift()
      if (name !== undefined) this.#prepared.set(name, null)
    }
    const onClosed = () => {
      const name = this.#closing.shift()
      if (name !== undefined) this.#prepared.delete(name)
    }
    connection.on('parseComplete', onPrepared)
    connection.on('closeComplete', onClosed)
    this.#done = () => void connection.off('parseComplete', onPrepared).off('closeComplete', onClosed)
  }

  handleRowDescription({ fields }: Description): void {
    const columns = fields.map(({ name, dataTypeID }) => ({
      name,
      parse: valueTypes.getTypeParser(dataTypeID, 'text'),
    }))
    const current = this.#current()
    // JSON.parse creates the object with all of its names at once.
    const blank = JSON.parse(`{${columns.map(({ name }) => `${JSON.stringify(name)}:null`).join(',')}}`)
    if (current !== undefined) this.#prepared.set(nameOf(current), { columns, blank })
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const current = this.#current()
    if (current === undefined || current.unread === true || this.#unreadable !== null) return
    try {
      this.#rows.push(rowOf(this.#prepared.get(nameOf(current)) ?? NO_COLUMNS, fields))
    } catch (error) {
      this.#unreadable = error
    }
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    const current = this.#current()
    // No description arrived, so the statement has no columns.
    if (current !== undefined && this.#prepared.get(nameOf(current)) === null)
      this.#prepared.set(nameOf(current), NO_COLUMNS)
    this.#answers.push({ command: text, rows: this.#rows })
    this.#rows = []
  }

  handleReadyForQuery(): void {
    this.#done()
    if (this.#unreadable !== null) this.callback(this.#unreadable)
    else if (this.#answers.length !== this.#sent.length)
      this.callback(new Error('the server did not answer every statement'))
    else this.callback(null, this.#answers)
  }

  handleError(error: unknown): void {
    this.#done()
    this.callback(error)
  }

  /** The answer to an empty text. */
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

  /** The statement that the server is answering. */
  #current(): Sent | undefined {
    return this.#sent[this.#answers.length]
  }
}

/** The name under which the columns are cached. A statement that is planned at each call has another name. */
const nameOf = ({ name, preparedAs = name, replanEachCall }: Sent) =>
  replanEachCall ? `${preparedAs} (planned at each call)` : preparedAs

/** Fails everything that is pending on the connection. */
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
