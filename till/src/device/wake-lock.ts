// Keeps the screen on while the till is visible. Browsers release the lock when it is hidden.

export function keepAwake(): void {
  // Needs HTTPS, and some browsers do not have it.
  if (!('wakeLock' in navigator)) return
  const lock = () => {
    if (document.visibilityState === 'visible') navigator.wakeLock.request('screen').catch(() => undefined) // a low battery refuses
  }
  document.addEventListener('visibilitychange', lock)
  lock()
}
