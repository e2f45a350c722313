// Measures what keys in an HSM cost a flow: SoftHSM next to keys in the store.

import { createRequire } from 'node:module'
import type * as Pkcs11 from 'pkcs11js'
import { growLog } from '../../../service/src/features/transparency/usecases/grow-log.ts'
import { signReceipts } from '../../../service/src/features/transparency/usecases/sign-receipts.ts'
import { createPkcs11 } from '../../../service/src/platform/keys/pkcs11.ts'
import { isSignedBy } from '../../../service/src/platform/keys/signing-key.ts'
import type { PinnedKey } from '../../../service/src/platform/keys/stored-key.ts'
import { moveKeys } from '../../../service/test/harness/keys/move-keys.ts'
import { HSM_MODULE, type SoftHsm, startSoftHsm, whyNoSoftHsm } from '../../../service/test/harness/servers/soft-hsm.ts'
import { holderOf, round, sendFlows, warmUp } from '../flow.ts'
import { allMs } from '../flow-cpu.ts'
import type { Holder } from '../holder.ts'
import type { FlowFigure } from '../stopwatch.ts'
import { readStoreMicros } from '../store-cpu.ts'
import { type BenchWorld, openBench } from '../world.ts'

const WINDOWS = 11
const VOLUME = { connections: 16, flows: 200 }
const SIGNATURES = 2_000
/** This many batches of the log take all receipts of the flows that warm up. */
const LOG_BATCHES = 6
/** The maximum CPU time of a flow, as a multiple of a flow whose keys are in the store. */
const KEYS_CPU_MAX = 1.15

interface Side {
  /** Includes signing the receipts. */
  readonly flow: FlowFigure
  readonly signatures: number
}

interface KeysCost {
  readonly local: Side
  readonly outside: Side
  /** CPU time with the HSM over CPU time with keys in the store, service and database together: the median window, and all windows. */
  readonly ratio: number
  readonly ratios: readonly number[]
  /** Microseconds of CPU for one signature. */
  readonly checkMicros: number
  readonly libraryMicros: number
  readonly threadMicros: number
  readonly loopMicros: number
}

/** Measures nothing without SoftHSM, and returns a text that says why there is none. */
export async function benchKeys(): Promise<KeysCost | string> {
  const missing = whyNoSoftHsm()
  if (missing !== null) return missing
  const ends: (() => Promise<void>)[] = []
  try {
    const hsm = await startSoftHsm({ after: (work) => void ends.unshift(work) })
    const open = async (world: Promise<BenchWorld>) => {
      const opened = await world
      ends.unshift(() => opened.close())
      return { world: opened, holder: await holderOf(opened) }
    }
    const noFloor = () => Promise.resolve()
    const local = await open(openBench(noFloor))
    const outside = await open(
      openBench(noFloor, hsm.env, (deps) =>
        moveKeys({ deps, clock: { now: () => deps.clock.now(), advance: () => undefined } }, hsm.reference),
      ),
    )
    for (const { world, holder } of [local, outside]) {
      await warmUp((flows) => sendFlows(world, holder, flows))
      await signReceipts(world.deps)
      for (let i = 0; i < LOG_BATCHES; i += 1) await growLog(world.deps)
    }
    const windows: { readonly local: Side; readonly outside: Side; readonly ratio: number }[] = []
    for (let i = 0; i < WINDOWS; i += 1) {
      const sides = { local: await windowOf(local), outside: await windowOf(outside) }
      windows.push({ ...sides, ratio: allMs(sides.outside.flow) / allMs(sides.local.flow) })
    }
    windows.sort((a, b) => a.ratio - b.ratio)
    const middle = windows[Math.floor(WINDOWS / 2)]
    if (middle === undefined) throw new Error('no window was measured')
    return { ...middle, ratios: windows.map(({ ratio }) => ratio), ...(await costOfSignature(hsm)) }
  } finally {
    for (const end of ends) await end()
  }
}

/** Measures flows, and the job that signs their receipts if the key is in the HSM. */
async function windowOf({ world, holder }: { readonly world: BenchWorld; readonly holder: Holder }): Promise<Side> {
  const { deps, store } = world
  // Runs the jobs that run every minute, which cost both sides the same.
  await signReceipts(deps)
  await growLog(deps)
  const before = await signed(world)
  const flow = await round(world, holder, VOLUME)
  const [processBefore, threadBefore, storeBefore] = [
    process.cpuUsage(),
    process.threadCpuUsage(),
    readStoreMicros(store),
  ]
  await signReceipts(deps)
  const perFlow = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000 / VOLUME.flows
  return {
    signatures: ((await signed(world)) - before) / VOLUME.flows,
    flow: {
      ...flow,
      cpuMs: flow.cpuMs + perFlow(process.threadCpuUsage(threadBefore)),
      serviceMs: flow.serviceMs + perFlow(process.cpuUsage(processBefore)),
      storeMs: flow.storeMs + (readStoreMicros(store) - storeBefore) / 1000 / VOLUME.flows,
    },
  }
}

async function signed({ deps }: BenchWorld): Promise<number> {
  const { values } = await deps.metrics.keySignatures.get()
  return values.reduce((sum, { value }) => sum + value, 0)
}

/** Measures separately the library alone, the thread it runs in, the event loop's part, and the check of each signature. */
async function costOfSignature(
  hsm: SoftHsm,
): Promise<Pick<KeysCost, 'checkMicros' | 'libraryMicros' | 'threadMicros' | 'loopMicros'>> {
  const settings = { module: HSM_MODULE ?? '', pin: hsm.pin }
  const provider = createPkcs11(settings)
  const reference = hsm.reference('test-openid4vp')
  const pinned = await provider.find(reference)
  if (pinned === null) throw new Error('no key')
  const bytes = Buffer.alloc(2_500, 'x')
  const { signature } = await provider.sign(pinned, bytes)
  const ofProvider = await measured(() => provider.sign(pinned, bytes))
  await provider.close()
  const check = await measured(async () => checkOne(pinned, bytes, signature))
  const library = await measured(signDirectly(settings, hsm))
  return {
    checkMicros: check.thread,
    libraryMicros: library.thread,
    threadMicros: ofProvider.process - ofProvider.thread,
    loopMicros: ofProvider.thread,
  }
}

function checkOne(pinned: PinnedKey, bytes: Uint8Array, signature: Uint8Array): void {
  if (!isSignedBy(pinned, bytes, signature)) throw new Error('not signed')
}

/** CPU time of one call in microseconds, of this thread and of the process. */
async function measured(work: () => Promise<unknown>): Promise<{ readonly thread: number; readonly process: number }> {
  for (let i = 0; i < SIGNATURES / 4; i += 1) await work()
  const [thread, whole] = [process.threadCpuUsage(), process.cpuUsage()]
  for (let i = 0; i < SIGNATURES; i += 1) await work()
  const micros = ({ user, system }: NodeJS.CpuUsage) => (user + system) / SIGNATURES
  return { thread: micros(process.threadCpuUsage(thread)), process: micros(process.cpuUsage(whole)) }
}

/** Makes the PKCS #11 calls of one signature in this thread. */
function signDirectly({ module, pin }: { readonly module: string; readonly pin: string }, hsm: SoftHsm) {
  const api = createRequire(import.meta.url)('pkcs11js') as typeof Pkcs11
  const library = new api.PKCS11()
  library.load(module)
  try {
    library.C_Initialize({ flags: api.CKF_OS_LOCKING_OK })
  } catch (error) {
    // The threads of the service have already initialized the library.
    if ((error as Error).message !== 'CKR_CRYPTOKI_ALREADY_INITIALIZED') throw error
  }
  const slot = library.C_GetSlotList(true).find((one) => library.C_GetTokenInfo(one).label.trim() === hsm.token)
  if (slot === undefined) throw new Error('no token')
  const session = library.C_OpenSession(slot, api.CKF_SERIAL_SESSION)
  try {
    library.C_Login(session, api.CKU_USER, pin)
  } catch (error) {
    if ((error as Error).message !== 'CKR_USER_ALREADY_LOGGED_IN') throw error
  }
  library.C_FindObjectsInit(session, [
    { type: api.CKA_CLASS, value: api.CKO_PRIVATE_KEY },
    { type: api.CKA_LABEL, value: 'test-openid4vp' },
  ])
  const [key] = library.C_FindObjects(session, 1)
  library.C_FindObjectsFinal(session)
  if (key === undefined) throw new Error('no key')
  const digest = Buffer.alloc(32, 1)
  return async () => {
    library.C_SignInit(session, { mechanism: api.CKM_ECDSA }, key)
    return library.C_Sign(session, digest, Buffer.alloc(64))
  }
}

export function renderKeys(cost: KeysCost | string): string {
  const heading = '## Keys outside of the process\n\nWritten by `npm run bench -- keys`.'
  if (typeof cost === 'string') return `${heading} Not measured: ${cost}.\n`
  const { local, outside, ratio, ratios } = cost
  const row = (name: string, { flow, signatures }: Side) =>
    `| ${name} | ${allMs(flow).toFixed(2)} | ${flow.serviceMs.toFixed(2)} | ${flow.cpuMs.toFixed(2)} | ${flow.storeMs.toFixed(2)} | ${signatures.toFixed(3)} |`
  const within = ratio <= KEYS_CPU_MAX ? 'reached' : '**missed**'
  const range = `${(ratios[0] ?? 0).toFixed(2)} to ${(ratios.at(-1) ?? 0).toFixed(2)}`
  return `${heading} The same flows by two installations in one process, in turns: ${WINDOWS} windows of ${VOLUME.flows} flows each, ${VOLUME.connections} at once. CPU time in milliseconds a flow, of the window
with the median ratio, with the job that signs receipts. SoftHSM runs in the process, so its CPU time is included. That of a real HSM would not be.

| keys | together | process | of it serving thread | store | signatures outside |
|---|---|---|---|---|---|
${row('in the store', local)}
${row('all in SoftHSM', outside)}

Ratio: **${ratio.toFixed(2)}** (${range}), at most ${KEYS_CPU_MAX}: ${within}. One signature outside costs ${cost.loopMicros.toFixed(0)} µs of the serving thread to hand over, ${cost.threadMicros.toFixed(0)} µs of the thread of PKCS #11, of which SoftHSM itself is ${cost.libraryMicros.toFixed(0)} µs, and ${cost.checkMicros.toFixed(0)} µs for the check with the pinned key.
`
}
