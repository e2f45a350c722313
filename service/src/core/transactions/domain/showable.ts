// What a holder is shown must not steer whatever shows it, nor the direction in which it is read.

export const isShowable = (text: string) => text.isWellFormed() && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text)
