// Registers the service worker that stores the till's files, and reports updates.

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(): string }): { createScriptURL(text: string): string }
}

const WORKER = '/till/worker.js'
/** A till is open for weeks, and browsers check only when a page is opened. */
const LOOK_EVERY_MS = 60 * 60_000

export interface Shell {
  hasUpdate(): boolean
  /** Reloads the page with the newer files. */
  takeUpdate(): void
}

/**
 * `onUpdate`: newer files are stored. They are used at the next start, or after a tap. `isIdle`: a reload would lose
 * nothing.
 */
export function keepOfflineShell(onUpdate: () => void, isIdle: () => boolean): Shell {
  let waiting: ServiceWorker | null = null
  const shell: Shell = {
    hasUpdate: () => waiting !== null,
    takeUpdate: () => waiting?.postMessage('take over'),
  }
  // Under `npm run dev` files change often, and none is stored.
  if (import.meta.env.DEV || !('serviceWorker' in navigator)) return shell

  const { serviceWorker } = navigator
  // The first worker takes over a page from the network, which need not be reloaded.
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
    watchInstalling() // it may have been found before the listener was added
    registration.addEventListener('updatefound', watchInstalling)
    setInterval(() => registration.update().catch(() => undefined), LOOK_EVERY_MS) // without a network, retries in an hour
  }

  register().catch((error: unknown) => console.warn('the till does not open without a network', error))
  return shell
}

/** The page's policy (Trusted Types) allows only this address as a script. */
function workerAddress(): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
  return trustedTypes?.createPolicy('till', { createScriptURL: () => WORKER }).createScriptURL('') ?? WORKER
}
