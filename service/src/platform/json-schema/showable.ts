// Checks that a text for a holder contains no control characters and does not change the reading direction.

export const isShowable = (text: string) => text.isWellFormed() && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text)
