// Text shown to a holder must not contain control characters or change the reading direction.

export const isShowable = (text: string) => text.isWellFormed() && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text)
