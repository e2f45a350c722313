// Formats JSON for people: a value that fits on one line is on one line.

const LINE_MAX = 80

export function writeJson(value: unknown, indent = ''): string {
  const flat = flatJson(value)
  if (typeof value !== 'object' || value === null || indent.length + flat.length <= LINE_MAX) return flat
  const inner = `${indent}  `
  const [begin, end] = Array.isArray(value) ? '[]' : '{}'
  const parts = Array.isArray(value)
    ? value.map((item) => writeJson(item, inner))
    : Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${writeJson(member, inner)}`)
  return `${begin}\n${inner}${parts.join(`,\n${inner}`)}\n${indent}${end}`
}

function flatJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flatJson).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${flatJson(member)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}
