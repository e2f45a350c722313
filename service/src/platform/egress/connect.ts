// Opens a connection only to a checked address. With TLS, also verifies the name.

import { connect, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls, type SecureContext, type TLSSocket } from 'node:tls'
import { addressBytes } from '../cidr.ts'
import { equalBytes, formatAddress } from './address.ts'
import { createHandshake } from './handshake.ts'
import { codeOf, type Failed, failed } from './outcome.ts'
import { RawConnection } from './raw-connection.ts'
import type { After } from './resolve.ts'
import type { CheckedUrl } from './url.ts'

export type Connection = { readonly outcome: 'connected'; readonly socket: Socket } | Failed

interface ConnectOptions {
  readonly url: CheckedUrl
  readonly addresses: readonly Uint8Array[]
  readonly after: After
  readonly connectMilliseconds: number
  /** Aborted when the attempt ends in any way. Destroys every socket that the attempt opened. */
  readonly lifeline: AbortSignal
}

/**
 * If an address refuses or cannot be reached, the next checked address is tried. The number is limited, so that a
 * request does not work through a long list.
 */
const ADDRESSES_TRIED_MAX = 4

export async function openConnection(options: ConnectOptions): Promise<Connection> {
  const expired = new AbortController()
  const cancelTimeout = options.after(options.connectMilliseconds, () => expired.abort())
  let result: Connection = failed('connect_error', 'no_address')
  for (const address of options.addresses.slice(0, ADDRESSES_TRIED_MAX)) {
    result = await connectOnce(address, options, expired.signal)
    if (result.outcome !== 'connect_error') break
  }
  cancelTimeout()
  return result
}

function connectOnce(address: Uint8Array, options: ConnectOptions, expired: AbortSignal): Promise<Connection> {
  if (options.lifeline.aborted) return Promise.resolve(failed('timeout', 'total'))
  if (expired.aborted) return Promise.resolve(failed('connect_timeout', 'connect'))
  return new Promise((resolve) => {
    const socket = connect({
      host: formatAddress(address),
      port: options.url.port,
      lookup: neverLookUp,
      autoSelectFamily: false,
    })
    const end = (result: Connection) => {
      expired.removeEventListener('abort', onExpired)
      resolve(result)
    }
    const onExpired = () => end(failed('connect_timeout', 'connect'))
    expired.addEventListener('abort', onExpired, { once: true })
    options.lifeline.addEventListener('abort', () => socket.destroy(), { once: true })
    // Stays for the life of the socket, because an unhandled error event would end the process.
    socket.on('error', (error) => end(failed('connect_error', codeOf(error))))
    socket.once('close', () => end(failed('connect_error', 'closed')))
    socket.once('connect', () =>
      end(
        isPeer(socket.remoteAddress, address)
          ? { outcome: 'connected', socket }
          : failed('egress_denied', 'peer_mismatch'),
      ),
    )
  })
}

/** Whether the socket's peer is the checked address. False if the peer is unknown. */
export function isPeer(remoteAddress: string | undefined, checked: Uint8Array): boolean {
  const remote = remoteAddress === undefined ? null : addressBytes(remoteAddress)
  return remote !== null && equalBytes(remote, checked)
}

interface SecureOptions {
  readonly url: CheckedUrl
  readonly context: SecureContext
  readonly after: After
  readonly tlsMilliseconds: number
  readonly onHandshakeBytes: ((bytes: number) => void) | undefined
}

/**
 * How much a server may send before the handshake is done, which limits what OpenSSL parses. Honest servers send 3 to 6
 * kB, or 10 kB with long lists of names.
 */
const HANDSHAKE_BYTES_MAX = 16 * 1024

type SecureConnection =
  | { readonly outcome: 'connected'; readonly socket: TLSSocket; readonly rawConnection: RawConnection }
  | Failed

/** The TLS socket ends with the underlying socket, and so when the lifeline is aborted. */
export function secureConnection(socket: Socket, options: SecureOptions): Promise<SecureConnection> {
  const { url } = options
  return new Promise((resolve) => {
    const handshake = createHandshake()
    const rawConnection = new RawConnection(socket, {
      gate: (bytes) => {
        options.onHandshakeBytes?.(bytes)
        const mayPass = bytes <= HANDSHAKE_BYTES_MAX
        if (!mayPass) end(failed('tls_error', 'handshake_too_long'))
        return mayPass
      },
      mayPass: (record) => {
        const fault = handshake.check(record)
        if (fault !== null) end(failed('tls_error', `${fault}_refused`))
        return fault === null
      },
    })
    const secure = connectTls({
      socket: rawConnection,
      secureContext: options.context,
      // Without a server name the certificate is checked against `host` (RFC 6066: no server name for literals).
      host: url.host,
      ...(url.address === null ? { servername: url.host } : {}),
      // Explicit, because the default depends on NODE_TLS_REJECT_UNAUTHORIZED.
      rejectUnauthorized: true,
      ALPNProtocols: ['http/1.1'],
    })
    const end = (result: SecureConnection) => {
      cancelTimeout()
      resolve(result)
    }
    const cancelTimeout = options.after(options.tlsMilliseconds, () => end(failed('timeout', 'tls')))
    secure.on('keylog', (line) => handshake.noteSecret(line.toString('latin1')))
    secure.on('error', (error) => end(failed('tls_error', codeOf(error))))
    secure.once('close', () => end(failed('tls_error', 'closed')))
    // Checked again, so that authentication does not depend on a single option.
    secure.once('secureConnect', () => {
      if (!secure.authorized) return end(failed('tls_error', 'not_authorized'))
      options.onHandshakeBytes?.(0)
      end({ outcome: 'connected', socket: secure, rawConnection })
    })
  })
}

/** The address is already checked, and a lookup could return another one. */
const neverLookUp: LookupFunction = (_host, _options, callback) => {
  callback(new Error('bug: a connection was opened by name'), [])
}
