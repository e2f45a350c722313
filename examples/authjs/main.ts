// Starts the site that signs in with Auth.js, next to a running service: node examples/authjs/main.ts

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createSite } from './site.ts'

const port = Number(process.env.SITE_PORT ?? 3000)
const address = process.env.SITE_ADDRESS ?? `http://localhost:${port}`
const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = process.env
if (issuer === undefined || clientId === undefined || clientSecret === undefined) {
  console.error('OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET are needed: see README.md')
  process.exit(2)
}
const secret = process.env.AUTH_SECRET ?? randomBytes(32).toString('base64url')
const server = createServer(createSite({ address, issuer, clientId, clientSecret, secret }))
server.listen(port)
await once(server, 'listening')
console.log(`The site is open at ${address}`)
