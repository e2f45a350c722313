// Every channel that an answer can be bound to, under its name in requests and results. A new one is a folder and a line.

export { annexC as annex_c } from './annex-c/channel.ts'
export { dcApi as dc_api } from './dc-api/channel.ts'
export { redirect } from './redirect/channel.ts'
