// Serves three TLS addresses: trusted, untrusted, and with another name.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { once } from '../harness/wait.ts'
import { makeAuthority, type ServerCertificate } from '../outbound/certificates.ts'

export interface TlsServers {
  readonly trusted: string
  readonly untrusted: string
  readonly misnamed: string
  /** The authority of the first and the last, in PEM. */
  readonly authorityFile: string
  /** Requests that a server which must not be trusted could read. */
  readonly leaked: () => number
}

export async function startTlsServers(): Promise<TlsServers> {
  const [authority, stranger] = await Promise.all([makeAuthority(), makeAuthority()])
  const folder = await mkdtemp(join(tmpdir(), 'vidimus-tls-'))
  after(() => rm(folder, { recursive: true }))
  const authorityFile = join(folder, 'authority.pem')
  await writeFile(authorityFile, authority.pem)
  let leaked = 0
  const leak = () => {
    leaked += 1
  }
  return {
    trusted: await startRefusing(await authority.issue({ names: ['localhost'] }), () => undefined),
    untrusted: await startRefusing(await stranger.issue({ names: ['localhost'] }), leak),
    misnamed: await startRefusing(await authority.issue({ names: ['elsewhere.example'] }), leak),
    authorityFile,
    leaked: () => leaked,
  }
}

async function startRefusing(certificate: ServerCertificate, onRequest: () => void): Promise<string> {
  const server = createServer({ ...certificate }, (_request, response) => {
    onRequest()
    response.writeHead(401, { 'content-type': 'application/json', 'request-id': 'req_tls' })
    response.end(JSON.stringify({ error: { code: 'invalid_api_key', message: 'This key is not valid.' } }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.close()
    server.closeAllConnections()
  })
  return `https://localhost:${(server.address() as AddressInfo).port}`
}
