// Lets the browser keep the till's own files. Without it the till works as well, only not from a cold start offline.

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(): string }): { createScriptURL(text: string): string }
}

const WORKER = '/till/worker.js'

export async function keepOfflineShell(): Promise<void> {
  // Under `npm run dev` files change by the minute and none is kept.
  if (import.meta.env.DEV || !('serviceWorker' in navigator)) return
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
  // The page's policy lets no text become a script's address, except this one.
  const address = trustedTypes?.createPolicy('till', { createScriptURL: () => WORKER }).createScriptURL('') ?? WORKER
  try {
    await navigator.serviceWorker.register(address, { scope: '/till', type: 'module' })
  } catch (error) {
    console.warn('the till does not open without a network', error)
  }
}
