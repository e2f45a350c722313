// Keeps the till's own files, so that it opens without a network and can say so. Never anything of the API.

interface WorkerEvent extends Event {
  waitUntil(work: Promise<unknown>): void
}
interface RequestEvent extends WorkerEvent {
  readonly request: Request
  respondWith(response: Promise<Response>): void
}

const CACHE = 'vidimus-till'
const scope = globalThis as unknown as {
  skipWaiting(): Promise<void>
  readonly clients: { claim(): Promise<void> }
  addEventListener(name: 'install' | 'activate', listener: (event: WorkerEvent) => void): void
  addEventListener(name: 'fetch', listener: (event: RequestEvent) => void): void
}

scope.addEventListener('install', (event) => event.waitUntil(scope.skipWaiting()))
scope.addEventListener('activate', (event) => event.waitUntil(scope.clients.claim()))
scope.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  const ours = origin === location.origin && (pathname === '/till' || pathname.startsWith('/till/'))
  if (ours && request.method === 'GET') event.respondWith(fromNetworkOrCache(request))
})

/** The network first: a till never runs yesterday's code while it can have today's. */
async function fromNetworkOrCache(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE)
  try {
    const response = await fetch(request)
    if (response.ok) {
      await cache.put(request, response.clone())
      return response
    }
    return (await cache.match(request, { ignoreSearch: true })) ?? response
  } catch (error) {
    const kept = await cache.match(request, { ignoreSearch: true })
    if (kept === undefined) throw error
    return kept
  }
}
