// Lets the browser keep the till's own files, and says when those of a newer version are there. The newer ones are taken over when
// nobody is in the middle of something: at the start, or when somebody taps. Without a worker the till works as well, only not from
// a cold start offline.

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(): string }): { createScriptURL(text: string): string }
}

const WORKER = '/till/worker.js'
/** A till is open for weeks; browsers look by themselves only when a page is opened. */
const LOOK_EVERY_MS = 60 * 60_000

export interface Shell {
  hasUpdate(): boolean
  /** The page is reloaded, from the newer files. */
  takeUpdate(): void
}

/** `onUpdate`: newer files are stored and wait. `isIdle`: a reload of the till loses nothing. */
export function keepOfflineShell(onUpdate: () => void, isIdle: () => boolean): Shell {
  let waiting: ServiceWorker | null = null
  const shell: Shell = {
    hasUpdate: () => waiting !== null,
    takeUpdate: () => waiting?.postMessage('take over'),
  }
  // Under `npm run dev` files change by the minute and none is kept.
  if (import.meta.env.DEV || !('serviceWorker' in navigator)) return shell

  const { serviceWorker } = navigator
  // A first worker takes over a page that came from the network: that is no reason to load it again.
  const wasControlled = serviceWorker.controller !== null
  serviceWorker.addEventListener('controllerchange', () => {
    if (wasControlled) location.reload()
  })

  function noteWaiting(registration: ServiceWorkerRegistration, atStart: boolean): void {
    if (registration.waiting === null || serviceWorker.controller === null) return
    waiting = registration.waiting
    if (atStart && isIdle()) shell.takeUpdate()
    else onUpdate()
  }

  async function register(): Promise<void> {
    const registration = await serviceWorker.register(workerAddress(), { scope: '/till', type: 'module' })
    noteWaiting(registration, true)
    const watchInstalling = () =>
      registration.installing?.addEventListener('statechange', () => noteWaiting(registration, false))
    watchInstalling() // found before anybody listened
    registration.addEventListener('updatefound', watchInstalling)
    setInterval(() => registration.update().catch(() => undefined), LOOK_EVERY_MS) // without a network: in an hour
  }

  register().catch((error: unknown) => console.warn('the till does not open without a network', error))
  return shell
}

/** The page's policy lets no text become a script's address, except this one. */
function workerAddress(): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
  return trustedTypes?.createPolicy('till', { createScriptURL: () => WORKER }).createScriptURL('') ?? WORKER
}
