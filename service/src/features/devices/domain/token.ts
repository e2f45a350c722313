// Device tokens: a short-lived access token and the single-use refresh token for the next pair.

import { checksumOf, hashSecret } from '../../../core/tenants/domain/api-key.ts'
import { randomBase62 } from '../../../platform/ids.ts'
import { type Instant, instantOf, type Random } from '../../../platform/world.ts'

/** 15 minutes: the longest time that a stolen access token works. */
export const ACCESS_SECONDS = 900
const REFRESH_SECONDS = 30 * 86_400
/** A device has to be paired again once a year, however often it refreshes. */
export const PAIRING_SECONDS = 365 * 86_400

const RANDOM_LENGTH = 32
const CHECKSUM_LENGTH = 6
const ACCESS_SHAPE = /^vd_[0-9A-Za-z]{38}$/
const REFRESH_SHAPE = /^vdr_[0-9A-Za-z]{38}$/

export interface MintedPair {
  readonly accessToken: string
  readonly refreshToken: string
}

/** The stored part of a pair. */
export interface PairRecord {
  readonly accessHash: Buffer
  readonly refreshHash: Buffer
  readonly issuedAt: Instant
  readonly accessExpiresAt: Instant
  readonly refreshExpiresAt: Instant
}

export function mintPair(random: Random): MintedPair {
  return { accessToken: mint(random, 'vd_'), refreshToken: mint(random, 'vdr_') }
}

export function recordOf(pair: MintedPair, nowMs: number): PairRecord {
  return {
    accessHash: hashSecret(pair.accessToken),
    refreshHash: hashSecret(pair.refreshToken),
    issuedAt: instantOf(nowMs),
    accessExpiresAt: instantOf(nowMs + ACCESS_SECONDS * 1000),
    refreshExpiresAt: instantOf(nowMs + REFRESH_SECONDS * 1000),
  }
}

/** Cheap filters that keep most invalid tokens from the store. They prove nothing. */
export const looksLikeAccessToken = (text: string) => ACCESS_SHAPE.test(text) && hasChecksum(text)
export const looksLikeRefreshToken = (text: string) => REFRESH_SHAPE.test(text) && hasChecksum(text)

function mint(random: Random, prefix: string): string {
  const body = prefix + randomBase62(random, RANDOM_LENGTH)
  return body + checksumOf(body)
}

function hasChecksum(text: string): boolean {
  return checksumOf(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH)
}
