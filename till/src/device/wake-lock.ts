// Keeps the screen on while the till is visible. Browsers release the lock when it is hidden.

export function keepAwake(): void {
  // The wake lock requires HTTPS, and some browsers lack it.
  if (!('wakeLock' in navigator)) return
  const lock = () => {
    if (document.visibilityState === 'visible') navigator.wakeLock.request('screen').catch(() => undefined) // refused on a low battery
  }
  document.addEventListener('visibilitychange', lock)
  lock()
}
