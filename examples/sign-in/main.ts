// Starts the shop with sign-in, next to a running service: node examples/sign-in/main.ts

import { once } from 'node:events'
import { createServer } from 'node:http'
import { createShop } from './shop.ts'

const port = Number(process.env.SHOP_PORT ?? 3000)
const address = process.env.SHOP_ADDRESS ?? `http://localhost:${port}`
const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = process.env
if (issuer === undefined || clientId === undefined || clientSecret === undefined) {
  console.error('OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET are needed: see README.md')
  process.exit(2)
}
const server = createServer(await createShop({ address, issuer, clientId, clientSecret }))
server.listen(port)
await once(server, 'listening')
console.log(`The shop is open at ${address}`)
