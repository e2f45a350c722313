// Posts the response code of a returning wallet in a form, to keep it out of addresses and logs. Works without modules.

const back = document.querySelector('[data-return]')
const code = new URLSearchParams(location.hash.slice(1)).get('response_code') || ''
history.replaceState(null, '', location.pathname)
back.elements.response_code.value = code
back.submit()
