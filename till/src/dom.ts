// Creates elements without HTML text, so that text from outside cannot become markup.

type Child = Node | string | null

export interface Attributes {
  readonly [name: string]: string | boolean | undefined
}

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag)
  setAttributes(element, attributes)
  element.append(...children.filter((child) => child !== null))
  return element
}

export function button(label: string, onTap: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const element = el('button', { type: 'button', ...attributes }, label)
  element.addEventListener('click', onTap)
  return element
}

const SVG = 'http://www.w3.org/2000/svg'

export function drawing(viewBox: string, paths: readonly string[], attributes: Attributes = {}): SVGSVGElement {
  const svg = document.createElementNS(SVG, 'svg')
  setAttributes(svg, { viewBox, ...attributes })
  for (const path of paths) {
    const line = document.createElementNS(SVG, 'path')
    line.setAttribute('d', path)
    svg.append(line)
  }
  return svg
}

function setAttributes(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, '')
    else if (typeof value === 'string') element.setAttribute(name, value)
  }
}

export function byId(id: string): HTMLElement {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`bug: the page has no #${id}`)
  return found
}
