// Serves one of the web applications with Vite, which compiles files on request and reloads them after edits.

import type { Server } from 'node:http'
import { join } from 'node:path'
import { createLogger, createServer, type ViteDevServer } from 'vite'

export const WEB_APPS = ['dashboard', 'till'] as const
type WebAppName = (typeof WEB_APPS)[number]

interface WebAppOptions {
  readonly root: string
  /** The server of the pages. Browsers also connect to it for reloads. */
  readonly front: Server
  readonly hostname: string
}

export function openWebApp(name: WebAppName, { root, front, hostname }: WebAppOptions): Promise<ViteDevServer> {
  const folder = join(root, name)
  return createServer({
    root: folder,
    configFile: join(folder, 'vite.config.ts'),
    customLogger: createLogger('info', { prefix: `[${name}]`, allowClearScreen: false }),
    server: {
      middlewareMode: true,
      ws: { server: front },
      allowedHosts: [hostname],
      // Vite may read only these folders, because others contain keys and the store.
      fs: { allow: [folder, join(root, 'sdk', 'typescript', 'src'), join(root, 'labels'), join(root, 'node_modules')] },
    },
  })
}

/** Returns the application that answers a path; null if the service answers it. */
export function webAppAt(path: string): WebAppName | null {
  const name = WEB_APPS.find((app) => path === `/${app}` || path.startsWith(`/${app}/`))
  const ofService = path === '/dashboard/api' || path.startsWith('/dashboard/api/')
  return name === undefined || ofService ? null : name
}
