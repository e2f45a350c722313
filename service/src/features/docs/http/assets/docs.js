// The docs without a click more than needed: the chosen language everywhere, code to copy, and what else a page has a place for.

import { openKeyPanel } from './key.js'
import { openSearch } from './search.js'
import { openTryIt } from './try-it.js'

const LANGUAGE = 'vidimus.docs.language'

const radios = [...document.querySelectorAll('.sample input[type=radio]')]

function choose(language) {
  for (const radio of radios) if (radio.value === language) radio.checked = true
}

for (const radio of radios) {
  radio.addEventListener('change', () => {
    localStorage.setItem(LANGUAGE, radio.value)
    choose(radio.value)
  })
}
choose(localStorage.getItem(LANGUAGE) ?? '')

for (const block of document.querySelectorAll('pre.code')) {
  const copy = document.createElement('button')
  copy.type = 'button'
  copy.className = 'copy'
  copy.textContent = 'Copy'
  copy.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.querySelector('code')?.textContent ?? '')
    copy.textContent = 'Copied'
    setTimeout(() => {
      copy.textContent = 'Copy'
    }, 1500)
  })
  // Only pages that are served securely have a clipboard.
  if (navigator.clipboard !== undefined) block.append(copy)
}

// The contents are long: what one reads is in sight there.
const side = document.querySelector('.side')
const current = side.querySelector('[aria-current]')
if (current !== null) side.scrollTop = current.offsetTop - side.clientHeight / 2

openSearch()
openKeyPanel()
openTryIt()
