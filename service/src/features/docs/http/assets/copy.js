// A copy button for each block of code. It says "Copied" on screen and to screen readers.

const SHOWN_MS = 2000

export function openCopyButtons() {
  for (const block of document.querySelectorAll('.block')) {
    const code = block.querySelector('pre')
    block.classList.toggle('one-line', !code.textContent.trim().includes('\n'))
    block.append(copyButton(() => code))
  }
  // One button for all languages of a sample: it copies the one that is shown.
  for (const bar of document.querySelectorAll('.sample .bar')) {
    const blocks = [...bar.closest('.sample').querySelectorAll('pre')]
    bar.append(copyButton(() => blocks.find((block) => block.offsetParent !== null)))
  }
}

export function copyButton(shownBlock) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  let timer
  button.addEventListener('click', async () => {
    const block = shownBlock()
    if (block === undefined) return
    const isCopied = await copy(block)
    button.textContent = isCopied ? 'Copied' : 'Press Ctrl+C'
    announce(isCopied ? 'Copied' : 'The code is selected. Press Ctrl+C to copy it.')
    clearTimeout(timer)
    timer = setTimeout(() => {
      button.textContent = 'Copy'
      announce('')
    }, SHOWN_MS)
  })
  return button
}

/** Without a clipboard, as on an insecure page, selects the code and copies it from there. */
async function copy(block) {
  const code = block.querySelector('code') ?? block
  try {
    await navigator.clipboard.writeText(code.textContent)
    return true
  } catch {
    getSelection().selectAllChildren(code)
    return document.execCommand('copy')
  }
}

function announce(text) {
  document.querySelector('[data-announce]').textContent = text
}
