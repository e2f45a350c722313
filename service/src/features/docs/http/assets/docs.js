// The script of every page: the chosen language in every sample, copy buttons, search, the reader's key, calls from the page.

import { openCopyButtons } from './copy.js'
import { openHere } from './here.js'
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
    const { top } = radio.closest('.sample').getBoundingClientRect()
    localStorage.setItem(LANGUAGE, radio.value)
    choose(radio.value)
    // Keeps the chosen sample in place when the samples above it change their height.
    scrollBy({ top: radio.closest('.sample').getBoundingClientRect().top - top, behavior: 'instant' })
  })
}
choose(localStorage.getItem(LANGUAGE) ?? '')

// The contents are long: scroll to the current page's link.
const side = document.querySelector('.side')
const current = side.querySelector('[aria-current]')
if (current !== null) side.scrollTop = current.offsetTop - side.clientHeight / 2

openCopyButtons()
openHere()
openSearch()
openKeyPanel()
openTryIt()
