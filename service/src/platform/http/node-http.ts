// Gives node:http without Node's fetch. A normal import also loads undici, in every process and thread.

export const { createServer, request, validateHeaderName, validateHeaderValue } = process.getBuiltinModule('node:http')
