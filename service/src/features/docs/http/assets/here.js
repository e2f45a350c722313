// "On this page": marks the section that is being read.

/** Height of the bar at the top, in pixels, and a margin. */
const TOP = 110

export function openHere() {
  const links = [...document.querySelectorAll('.here a')]
  const targets = links.map((link) => document.getElementById(decodeURIComponent(link.hash.slice(1))))
  if (targets.length === 0) return
  let isPlanned = false
  const mark = () => {
    isPlanned = false
    const passed = targets.filter((target) => target.getBoundingClientRect().top < TOP)
    const isAtEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2
    const current = isAtEnd && scrollY > 0 ? targets.at(-1) : (passed.at(-1) ?? targets[0])
    for (const [at, link] of links.entries()) {
      if (targets[at] === current) link.setAttribute('aria-current', 'location')
      else link.removeAttribute('aria-current')
    }
  }
  addEventListener('scroll', () => {
    if (isPlanned) return
    isPlanned = true
    requestAnimationFrame(mark)
  }, { passive: true })
  mark()
}
