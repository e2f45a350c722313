// Reads the state of the log and its witnesses, for doctor, metrics and staff.

import type { Deps } from '../../../deps.ts'
import type { Diagnosis } from '../../../platform/diagnosis.ts'
import { renderNoteKey } from '../../../platform/signed-note.ts'
import { compareLog } from '../domain/log/seen-log.ts'
import { listEpochs } from '../store/epochs.ts'
import { loadLog } from '../store/log.ts'
import { CHECK_RESTORE, loadLogInStore } from '../store/log-memory.ts'
import { readSeenLog } from '../store/seen-file.ts'
import { listWitnessStates, type WitnessState } from '../store/witnesses.ts'
import { readLogKey } from './read-log.ts'

type Needs = Pick<Deps, 'db' | 'config'>

/** Answers of witnesses that are no longer configured are ignored. */
export async function readWitnesses({ db, config }: Needs): Promise<WitnessState[]> {
  const names = new Set(config.witnesses.map(({ key }) => key.name))
  return (await listWitnessStates(db)).filter(({ name }) => names.has(name))
}

/** Includes configured witnesses that were not asked yet. Only the operator sees why the log is halted. */
export async function readLogState(deps: Needs & Pick<Deps, 'derivedKeys'>) {
  const { origin, size, signedAt, halted } = await loadLog(deps.db)
  const states = new Map((await listWitnessStates(deps.db)).map((state) => [state.name, state]))
  return {
    origin,
    size,
    signed_at: signedAt,
    halted: halted !== null,
    key: await readLogKey(deps),
    witnesses: deps.config.witnesses.map(({ key }) => {
      const state = states.get(key.name)
      return {
        name: key.name,
        key: renderNoteKey(key),
        state: state?.state ?? ('not_asked' as const),
        size: state?.size ?? null,
        asked_at: state?.askedAt ?? null,
        cosigned_at: state?.cosignedAt ?? null,
      }
    }),
  }
}

export async function diagnoseLog(deps: Needs): Promise<Diagnosis[]> {
  const rolledBack = await diagnoseRollback(deps)
  if (rolledBack !== null) return [rolledBack]
  const { size, halted } = await loadLog(deps.db)
  const area = 'log'
  if (halted !== null) {
    const waits = (await listEpochs(deps.db)).some(({ openedAt }) => openedAt === null)
    return [
      {
        area,
        status: 'problem',
        finding: `the public log is halted at ${size} leaves: ${halted}`,
        remedy: waits
          ? 'a new epoch waits for its witnesses: have their operators accept the statement (`vidimus accept-epoch`), see `vidimus log new-epoch`'
          : 'compare the store with its newest backup and with checkpoints that others hold before anything else; until then nothing is signed. After a restore, `vidimus log new-epoch`',
      },
    ]
  }
  return [{ area, status: 'ok', finding: `the public log has ${size} leaves` }, ...(await diagnoseWitnesses(deps))]
}

async function diagnoseRollback(deps: Needs): Promise<Diagnosis | null> {
  const why = await whySetBack(deps)
  if (why === null) return null
  const finding = `the store does not serve: ${why}`
  return { area: 'store', status: 'problem', finding, remedy: CHECK_RESTORE }
}

/** From the store's own record and what a service with this data directory has seen. null: no restore is known. */
async function whySetBack({ db, config }: Needs): Promise<string | null> {
  const store = await loadLogInStore(db)
  const seen = await readSeenLog(config.dataDir)
  const compared = seen?.storeId === store.storeId ? compareLog(seen, store) : null
  return store.setBack ?? (compared?.outcome === 'set_back' ? compared.why : null)
}

/** Whether the store is known to be restored and was not checked since. */
export const isSetBack = async (deps: Needs): Promise<boolean> => (await whySetBack(deps)) !== null

async function diagnoseWitnesses(deps: Needs): Promise<Diagnosis[]> {
  const area = 'witnesses'
  if (deps.config.witnesses.length === 0) {
    return [
      {
        area,
        status: 'warning',
        finding: 'no witness cosigns the public log: a store that was rolled back would not be noticed by others',
        remedy: 'have another party run `vidimus witness`, and set VIDIMUS_WITNESSES',
      },
    ]
  }
  const states = new Map((await readWitnesses(deps)).map((state) => [state.name, state]))
  return deps.config.witnesses.map(({ key }): Diagnosis => {
    const state = states.get(key.name)
    if (state === undefined) return { area, status: 'warning', finding: `${key.name} was not asked yet` }
    const since = state.cosignedAt === null ? 'never cosigned' : `last cosigned ${state.cosignedAt}`
    if (state.state === 'cosigned') return { area, status: 'ok', finding: `${key.name} ${since}` }
    const finding = `${key.name} is ${state.state}; ${since}`
    return {
      area,
      status: 'warning',
      finding,
      remedy: 'check that it runs, has the key that /log/key shows, and can be reached',
    }
  })
}
