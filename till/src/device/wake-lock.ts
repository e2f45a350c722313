// Keeps the screen on while the till is in sight. Browsers take the lock back whenever it is not.

export function keepAwake(): void {
  // Only pages that are served securely may, and not in every browser.
  if (!('wakeLock' in navigator)) return
  const lock = () => {
    if (document.visibilityState === 'visible') navigator.wakeLock.request('screen').catch(() => undefined) // a low battery refuses
  }
  document.addEventListener('visibilitychange', lock)
  lock()
}
