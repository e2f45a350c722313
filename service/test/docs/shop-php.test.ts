// Tests examples/shop-php, in its own process, against a running service.

import { findLanguage } from '../sdk/language.ts'
import { openShop } from './shop-process.ts'
import { startMerchant, testShop } from './shop-tests.ts'

const php = findLanguage('PHP')

if (php !== null) {
  const merchant = await startMerchant()
  const address = await openShop(merchant, {
    program: php,
    args: (port) => ['-S', `127.0.0.1:${port}`, 'examples/shop-php/shop.php'],
    isOpen: /Development Server .* started/,
  })
  testShop(address, merchant)
}
