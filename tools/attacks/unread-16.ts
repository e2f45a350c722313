import { unreadAnswers } from '../attack-stage/unread.ts'

export const about = '16 connections of pipelined requests whose answers are never read'
export const run = unreadAnswers(16)
