// How long what a query names may be. No real query comes near; they bound what one request object may weigh.

export const TYPES_MAX = 50
export const TYPE_LENGTH_MAX = 1024
export const NAME_LENGTH_MAX = 256
