// Counts and checks every byte of a connection below TLS, before OpenSSL reads it.

import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { HEADER_BYTES, recordLength } from './handshake.ts'

/** Called before bytes are passed on, with the number received since the gate was set. False ends the connection. */
type Gate = (bytes: number) => boolean

export interface HandshakeChecks {
  readonly gate: Gate
  /** Called before each whole record is passed on. False ends the connection. */
  readonly mayPass: (record: Uint8Array) => boolean
}

export class RawConnection extends Duplex {
  readonly #socket: Socket
  #gate: Gate
  #bytes = 0
  /** null: the handshake is done. */
  #handshake: HandshakeChecks | null
  /** Received bytes of the handshake that were not passed to OpenSSL yet. */
  #pending: Buffer<ArrayBufferLike> = Buffer.alloc(0)
  #isQueued = false

  /** This stream and the socket end together. */
  constructor(socket: Socket, handshake: HandshakeChecks) {
    super()
    this.#socket = socket
    this.#gate = handshake.gate
    this.#handshake = handshake
    socket.on('data', (part: Uint8Array) => this.#receive(part))
    socket.once('end', () => this.#end())
    socket.once('error', (error) => this.destroy(error))
    socket.once('close', () => this.destroy())
  }

  /** Call when the handshake is done. From now on this gate decides, and counts from 0. */
  setGate(gate: Gate): void {
    this.#gate = gate
    this.#bytes = 0
    this.#handshake = null
    this.#flush()
  }

  #receive(part: Uint8Array): void {
    this.#bytes += part.length
    if (!this.#gate(this.#bytes)) {
      this.destroy()
    } else if (this.#handshake !== null) {
      this.#pending = Buffer.concat([this.#pending, part])
      this.#queueRecord()
    } else if (!this.push(part)) this.#socket.pause()
  }

  #queueRecord(): void {
    if (this.#isQueued || this.#recordLength() === null) return
    this.#isQueued = true
    this.#socket.pause()
    takeTurn(() => {
      this.#isQueued = false
      if (!this.destroyed) this.#handOnRecord()
    })
  }

  /** The length of the next record; null if it is incomplete. */
  #recordLength(): number | null {
    const bytes = this.#pending
    if (bytes.length < HEADER_BYTES) return null
    // Passes on bytes that are not a record at once. OpenSSL refuses them.
    const length = recordLength(bytes) ?? bytes.length
    return length > bytes.length ? null : length
  }

  #handOnRecord(): void {
    const length = this.#recordLength()
    if (this.#handshake === null || length === null) return
    // Waits until OpenSSL has read the previous record: only then is the key of the next one known.
    if (this.readableLength > 0) {
      this.#queueRecord()
      return
    }
    const record = this.#pending.subarray(0, length)
    this.#pending = this.#pending.subarray(length)
    if (!this.#handshake.mayPass(record)) {
      this.destroy()
      return
    }
    this.push(record)
    this.#queueRecord()
  }

  /** Passes on what arrived after the handshake. */
  #flush(): void {
    const rest = this.#pending
    this.#pending = Buffer.alloc(0)
    if (rest.length > 0 && !this.destroyed) this.#receive(rest)
  }

  /** Ends after the queued record. The rest is an incomplete record. */
  #end(): void {
    if (this.#isQueued) takeTurn(() => this.#end())
    else if (!this.destroyed) this.push(null)
  }

  override _read(): void {
    this.#socket.resume()
  }

  override _write(part: Uint8Array, _encoding: string, done: (error?: Error | null) => void): void {
    this.#socket.write(part, done)
  }

  override _final(done: () => void): void {
    this.#socket.end(done)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy()
    done(error)
  }
}

const turns: (() => void)[] = []

/**
 * Handles one handshake record per turn of the event loop. Timers and other requests run in between, even if many
 * servers send expensive handshakes.
 */
function takeTurn(work: () => void): void {
  if (turns.push(work) === 1) setImmediate(runTurn)
}

function runTurn(): void {
  turns[0]?.()
  turns.shift()
  if (turns.length > 0) setImmediate(runTurn)
}
