// Tests examples/shop-python, in its own process, against a running service.

import { findLanguage } from '../sdk/language.ts'
import { openShop } from './shop-process.ts'
import { startMerchant, testShop } from './shop-tests.ts'

const python = findLanguage('Python')

if (python !== null) {
  const merchant = await startMerchant()
  const address = await openShop(merchant, {
    program: python,
    args: () => ['-W', 'error', 'examples/shop-python/shop.py'],
    isOpen: /The shop is open/,
  })
  testShop(address, merchant)
}
