// Lists every channel by its name in requests and results. A new channel is a folder and a line here.

export { annexC as annex_c } from './annex-c/channel.ts'
export { dcApi as dc_api } from './dc-api/channel.ts'
export { redirect } from './redirect/channel.ts'
