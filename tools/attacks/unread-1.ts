import { unreadAnswers } from '../attack-stage/unread.ts'

export const about = '1 connection of pipelined requests whose answers are never read'
export const run = unreadAnswers(1)
