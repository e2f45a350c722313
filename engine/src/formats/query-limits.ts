// Limits on the texts in a query. Real queries stay far below; the limits bound the size of a request object.

export const TYPES_MAX = 50
export const TYPE_LENGTH_MAX = 1024
export const NAME_LENGTH_MAX = 256
