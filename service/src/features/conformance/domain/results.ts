// Renders results that the suite exported as a Markdown table.

/** The parts of a module's log that we read (`test-log-….json` of the suite's export). */
export interface ModuleResult {
  readonly plan: string
  readonly module: string
  readonly variant: string
  readonly version: string
  readonly status: string
  readonly result: string
  readonly failures: number
  readonly warnings: number
}

/** null if it is not the log of a module. */
export function readModuleLog(json: unknown): ModuleResult | null {
  if (!isObject(json) || !isObject(json.testInfo) || !Array.isArray(json.results)) return null
  const { testInfo: info, results } = json
  const { testName, status } = info
  if (typeof testName !== 'string' || typeof status !== 'string') return null
  const countOf = (result: string) => results.filter((one) => isObject(one) && one.result === result).length
  const variant = isObject(info.variant) ? info.variant : {}
  return {
    plan: textOf(info.planName),
    module: testName,
    variant: Object.entries(variant)
      .map(([name, value]) => `${name}=${textOf(value)}`)
      .sort()
      .join(' '),
    version: textOf(json.exportedVersion),
    status,
    // A module that did not finish has no result.
    result: typeof info.result === 'string' ? info.result : 'UNKNOWN',
    failures: countOf('FAILURE'),
    warnings: countOf('WARNING'),
  }
}

/** Finished without a failed condition or a warning. A module in `REVIEW` has a screenshot for a person to check. */
export const isClean = ({ status, result, failures, warnings }: ModuleResult) =>
  status === 'FINISHED' && ['PASSED', 'REVIEW', 'SKIPPED'].includes(result) && failures === 0 && warnings === 0

export function renderTable(results: readonly ModuleResult[]): string {
  const versions = [...new Set(results.map(({ version }) => version))].sort()
  const clean = results.filter(isClean).length
  const groups = Map.groupBy(results, ({ plan, variant }) => `${plan}|${variant}`)
  const sections = [...groups.values()].map((modules) => {
    const rows = [...modules].sort((a, b) => (a.module < b.module ? -1 : 1)).map(rowOf)
    const [{ plan, variant } = { plan: '', variant: '' }] = modules
    const head = [`### ${plan === '' ? 'Modules' : plan}`, ...(variant === '' ? [] : ['', cell(variant)])]
    return [...head, '', '| module | result | failed conditions | warnings |', '|---|---|---|---|', ...rows].join('\n')
  })
  const summary = `Suite ${versions.join(', ')}: ${clean} of ${results.length} modules without a failed condition or warning.`
  return [summary, ...sections].join('\n\n')
}

const rowOf = ({ module, status, result, failures, warnings }: ModuleResult) =>
  `| \`${cell(module)}\` | ${cell(status === 'FINISHED' ? result.toLowerCase() : `${status} (not finished)`)} | ${failures} | ${warnings} |`

/** Exported texts must not break out of their cell. */
const cell = (text: string) => text.replaceAll(/[|\r\n`<>]/g, ' ').slice(0, 300)

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
