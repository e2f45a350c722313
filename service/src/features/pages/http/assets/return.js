// A wallet leads back to a sign-in: this posts the response code in a form, so that no address and no log has it. It is no
// module, because a wallet may open a browser that has none.

const back = document.querySelector('[data-return]')
const code = new URLSearchParams(location.hash.slice(1)).get('response_code') || ''
history.replaceState(null, '', location.pathname)
back.elements.response_code.value = code
back.submit()
