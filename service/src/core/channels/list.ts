// Lists every channel under its name in results. A new channel is a folder and a line here.

export { ageLink as age_link } from './age-link/channel.ts'
export { annexC as annex_c } from './annex-c/channel.ts'
export { dcApi as dc_api } from './dc-api/channel.ts'
export { redirect } from './redirect/channel.ts'
