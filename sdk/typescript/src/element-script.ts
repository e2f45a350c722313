// Defines the element as one classic script, and inserts it after a script tag that has its attributes.

import './element.ts'

/**
 * `<script src="…/sdk/vidimus-verify.js" data-verification="…" data-wallet-uri="…"></script>`. `data-base-url` names the
 * service; the default is where the script comes from.
 */
const ATTRIBUTES = ['data-verification', 'data-wallet-uri']

// Known only while the script runs, and in classic scripts alone.
const { currentScript } = document
if (currentScript instanceof HTMLScriptElement && ATTRIBUTES.every((name) => currentScript.hasAttribute(name))) {
  const element = document.createElement('vidimus-verify')
  for (const name of ATTRIBUTES) element.setAttribute(name, currentScript.getAttribute(name) ?? '')
  const { baseUrl = new URL('..', currentScript.src).href.replace(/\/$/, '') } = currentScript.dataset
  element.setAttribute('data-base-url', baseUrl)
  // A script in the head has no place on the page, so the element goes to the end of the body.
  if (currentScript.closest('head') === null) currentScript.after(element)
  else if (document.readyState === 'loading')
    document.addEventListener('DOMContentLoaded', () => document.body.append(element), { once: true })
  else document.body.append(element)
}
