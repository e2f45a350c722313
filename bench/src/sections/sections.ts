// Lists the parts of bench/RESULTS.md with their own tables. `npm run bench -- counts` measures and replaces only that part.

/** Renders each section, by the name of its part. The text begins with the heading. */
export const SECTIONS: Readonly<Record<string, () => Promise<string>>> = {
  counts: async () => {
    const { benchCounts, renderCounts } = await import('../counts/counts.ts')
    return renderCounts(await benchCounts())
  },
  checks: async () => {
    const { benchChecks, renderChecks } = await import('./checks.ts')
    return renderChecks(await benchChecks())
  },
  routes: async () => {
    const { benchRoutes, renderRoutes } = await import('./routes.ts')
    return renderRoutes(await benchRoutes())
  },
  keys: async () => {
    const { benchKeys, renderKeys } = await import('./keys.ts')
    return renderKeys(await benchKeys())
  },
}

/** Replaces the section with the same heading, or adds it at the end. */
export function withSection(results: string, section: string): string {
  const [heading = ''] = section.split('\n', 1)
  const from = `${results}\n`.indexOf(`\n${heading}\n`)
  if (from < 0) return `${results.trimEnd()}\n\n${section}`
  const to = results.indexOf('\n## ', from + heading.length)
  return `${results.slice(0, from + 1)}${section}${to < 0 ? '' : results.slice(to)}`
}
