// Limits on the texts in a query, which bound the size of a request object. Real queries are far smaller.

export const TYPES_MAX = 50
export const TYPE_LENGTH_MAX = 1024
export const NAME_LENGTH_MAX = 256
