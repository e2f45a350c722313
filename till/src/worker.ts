// The service worker: stores the till's own files, so that it opens without a network. Never stores API answers.

interface WorkerEvent extends Event {
  waitUntil(work: Promise<unknown>): void
}
interface RequestEvent extends WorkerEvent {
  readonly request: Request
  respondWith(response: Promise<Response>): void
}

/** The build inserts the addresses of all files, and the name of this version. */
declare const __FILES_TO_KEEP__: readonly string[]
declare const __VERSION__: string

const FILES = __FILES_TO_KEEP__
const CACHES = 'vidimus-till-'
const CACHE = `${CACHES}${__VERSION__}`
const scope = globalThis as unknown as {
  skipWaiting(): Promise<void>
  readonly clients: { claim(): Promise<void> }
  addEventListener(name: 'install' | 'activate', listener: (event: WorkerEvent) => void): void
  addEventListener(name: 'fetch', listener: (event: RequestEvent) => void): void
  addEventListener(name: 'message', listener: (event: MessageEvent) => void): void
}
const PATHS: ReadonlySet<string> = new Set(FILES.map((file) => file.split('?')[0] ?? file))

scope.addEventListener('install', (event) => event.waitUntil(keepFiles()))
scope.addEventListener('activate', (event) => event.waitUntil(dropOtherVersions()))
scope.addEventListener('message', ({ data }) => {
  if (data === 'take over') void scope.skipWaiting()
})
scope.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  const ours = origin === location.origin && PATHS.has(pathname)
  if (ours && request.method === 'GET') event.respondWith(fromCacheOrNetwork(request))
})

/** Stores all files or none, bypassing the browser's cache. Each version has its own cache until the till updates. */
async function keepFiles(): Promise<void> {
  const cache = await caches.open(CACHE)
  await cache.addAll(FILES.map((file) => new Request(file, { cache: 'reload' })))
}

async function dropOtherVersions(): Promise<void> {
  const others = (await caches.keys()).filter((name) => name.startsWith('vidimus-till') && name !== CACHE)
  await Promise.all(others.map((name) => caches.delete(name)))
  await scope.clients.claim()
}

async function fromCacheOrNetwork(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE)
  return (await cache.match(request, { ignoreSearch: true, ignoreVary: true })) ?? fetch(request)
}
