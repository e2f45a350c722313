// The element as one classic script. A script tag that carries the attributes itself gets its element right after it:
// <script src="vidimus-verify.script.js" data-base-url="…" data-verification="…" data-wallet-uri="…"></script>

import './element.ts'

const ATTRIBUTES = ['data-base-url', 'data-verification', 'data-wallet-uri']

// Known only while the script runs, and in classic scripts alone.
const { currentScript } = document
if (currentScript !== null && ATTRIBUTES.every((name) => currentScript.hasAttribute(name))) {
  const element = document.createElement('vidimus-verify')
  for (const name of ATTRIBUTES) element.setAttribute(name, currentScript.getAttribute(name) ?? '')
  currentScript.after(element)
}
