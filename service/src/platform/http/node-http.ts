// Gives node:http without Node's fetch. An import of it as a module also loads undici, in every process and thread.

export const { createServer, request, validateHeaderName, validateHeaderValue } = process.getBuiltinModule('node:http')
