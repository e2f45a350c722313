// Keeps the till's own files, so that it opens without a network and can say so. Never anything of the API.

interface WorkerEvent extends Event {
  waitUntil(work: Promise<unknown>): void
}
interface RequestEvent extends WorkerEvent {
  readonly request: Request
  respondWith(response: Promise<Response>): void
}

/** Addresses of everything the till is made of: the build puts them here. */
declare const __FILES_TO_KEEP__: readonly string[]

const FILES = __FILES_TO_KEEP__
const CACHE = 'vidimus-till'
const scope = globalThis as unknown as {
  skipWaiting(): Promise<void>
  readonly clients: { claim(): Promise<void> }
  addEventListener(name: 'install' | 'activate', listener: (event: WorkerEvent) => void): void
  addEventListener(name: 'fetch', listener: (event: RequestEvent) => void): void
}

scope.addEventListener('install', (event) => event.waitUntil(keepFiles()))
scope.addEventListener('activate', (event) => event.waitUntil(dropOtherFiles()))
scope.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  const ours = origin === location.origin && (pathname === '/till' || pathname.startsWith('/till/'))
  if (ours && request.method === 'GET') event.respondWith(fromNetworkOrCache(request))
})

/** All or none: a page without its scripts opens to nothing. */
async function keepFiles(): Promise<void> {
  const cache = await caches.open(CACHE)
  await cache.addAll(FILES)
  await scope.skipWaiting()
}

/** Those of earlier builds; else a tablet would collect them for years. */
async function dropOtherFiles(): Promise<void> {
  const cache = await caches.open(CACHE)
  const others = (await cache.keys()).filter(({ url }) => !FILES.includes(url.slice(location.origin.length)))
  await Promise.all(others.map((request) => cache.delete(request)))
  await scope.clients.claim()
}

/** The network first: a till never runs yesterday's code while it can have today's. */
async function fromNetworkOrCache(request: Request): Promise<Response> {
  try {
    const response = await fetch(request)
    return response.ok ? response : ((await kept(request)) ?? response)
  } catch (error) {
    const response = await kept(request)
    if (response === undefined) throw error
    return response
  }
}

async function kept(request: Request): Promise<Response | undefined> {
  return (await caches.open(CACHE)).match(request, { ignoreSearch: true, ignoreVary: true })
}
