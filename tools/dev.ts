// Runs service, dashboard and till with reload at one address (`npm run dev`), without a content security policy.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createListener } from 'node:net'
import { dirname } from 'node:path'
import { forward } from './dev/forward.ts'
import { startService } from './dev/service-process.ts'
import { openWebApp, WEB_APPS, webAppAt } from './dev/web-app.ts'

const ROOT = dirname(import.meta.dirname)
const LOOPBACK = '127.0.0.1'

const stopAsked = new Promise<void>((resolve) => {
  // A second signal during the stop is ignored.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve())
})

const servicePort = await freePort()
const front = createServer(serve)
front.on('upgrade', (request, socket) => {
  if (!WEB_APPS.some((name) => pathOf(request) === `/${name}/`)) socket.destroy()
})
const hostname = new URL(process.env.VIDIMUS_BASE_URL || 'http://localhost').hostname
const apps = {
  dashboard: await openWebApp('dashboard', { root: ROOT, front, hostname }),
  till: await openWebApp('till', { root: ROOT, front, hostname }),
}
const port = await listen(Number(process.env.PORT || 8080))
const service = startService(ROOT, serviceEnvironment(), (line) => console.log(line))

await stopAsked
console.log('stopping')
await Promise.all([service.stop(), ...Object.values(apps).map((app) => app.close())])
// At this point only connections of browsers are still open.
process.exit()

function serve(request: IncomingMessage, answer: ServerResponse): void {
  const path = pathOf(request)
  const name = webAppAt(path)
  if (name === null) {
    forward(servicePort, request, answer)
    return
  }
  // Vite serves an application at its address with a slash at the end.
  if (path === `/${name}`) request.url = `${path}/${(request.url ?? '').slice(path.length)}`
  apps[name].middlewares(request, answer)
}

function pathOf({ url = '/' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '/'
}

/** Makes the service use this proxy's address in links, and see the proxy's callers as its own. */
function serviceEnvironment(): Record<string, string> {
  const proxies = [process.env.VIDIMUS_TRUSTED_PROXIES, `${LOOPBACK}/32`].filter(Boolean).join(',')
  const baseUrl = process.env.VIDIMUS_BASE_URL || `http://localhost:${port}`
  return { PORT: String(servicePort), HOST: LOOPBACK, VIDIMUS_BASE_URL: baseUrl, VIDIMUS_TRUSTED_PROXIES: proxies }
}

async function listen(wanted: number): Promise<number> {
  front.listen(wanted, process.env.HOST || LOOPBACK)
  try {
    await once(front, 'listening')
  } catch (error) {
    console.error(`PORT: ${wanted} cannot be listened on (${(error as NodeJS.ErrnoException).code}); set another one`)
    process.exit(1)
  }
  return (front.address() as AddressInfo).port
}

async function freePort(): Promise<number> {
  const holder = createListener().listen(0, LOOPBACK)
  await once(holder, 'listening')
  const { port } = holder.address() as AddressInfo
  holder.close()
  await once(holder, 'close')
  return port
}
