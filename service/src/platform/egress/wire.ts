// The connection below TLS. It counts every byte before OpenSSL reads it: what a server makes OpenSSL do (verify every
// signature of its chain, trusted or not) is done before Node raises any event.

import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

/** Called with how many bytes came since the gate was set, before they are handed on; false ends the connection. */
type Gate = (bytes: number) => boolean

export class Wire extends Duplex {
  readonly #socket: Socket
  #gate: Gate
  #bytes = 0
  #isHandshake = true

  /** Ends with the socket, and the socket with it. */
  constructor(socket: Socket, handshakeGate: Gate) {
    super()
    this.#socket = socket
    this.#gate = handshakeGate
    socket.on('data', (part: Uint8Array) => this.#receive(part))
    socket.once('end', () => this.push(null))
    socket.once('error', (error) => this.destroy(error))
    socket.once('close', () => this.destroy())
  }

  /** The handshake is done: from now on this gate decides, and counts from 0. */
  setGate(gate: Gate): void {
    this.#gate = gate
    this.#bytes = 0
    this.#isHandshake = false
  }

  #receive(part: Uint8Array): void {
    this.#bytes += part.length
    if (!this.#gate(this.#bytes)) {
      this.destroy()
    } else if (this.#isHandshake) {
      this.#socket.pause()
      takeTurn(() => {
        if (!this.destroyed) this.push(part)
      })
    } else if (!this.push(part)) this.#socket.pause()
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
 * One part of a handshake per turn of the event loop: between two of them timers and other requests run, however many
 * servers send dear handshakes at once.
 */
function takeTurn(work: () => void): void {
  if (turns.push(work) === 1) setImmediate(runTurn)
}

function runTurn(): void {
  turns[0]?.()
  turns.shift()
  if (turns.length > 0) setImmediate(runTurn)
}
