// Lists the built-in transaction types: strong customer authentication (EUDI TS12 v1) and signature approval (CSC).

import type { Schema } from '../../../platform/json-schema/schema.ts'
import type { TransactionType } from './type.ts'

const object = (members: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema => ({
  types: ['object'],
  members: new Map(Object.entries(members)),
  required,
  additional: false,
})
const text = (min: number, max: number): Schema => ({ types: ['string'], length: { min, max } })
const number: Schema = { types: ['number'] }
const whole: Schema = { types: ['integer'], range: { min: 1 } }
const flag: Schema = { types: ['boolean'] }
const moment: Schema = { types: ['string'], anyOf: [{ format: 'date-time' }, { format: 'date' }] }
const address: Schema = { types: ['string'], format: 'uri', length: { max: 2048 } }
const amount: Schema = { types: ['number'], range: { min: 0, max: 999_999_999_999 } }
const either = (...schemas: readonly Schema[]): Schema => ({ anyOf: schemas })
const has = (...names: readonly string[]): Schema => ({ required: names })

const provider = object({ legal_name: text(1, 200), brand_name: text(1, 200), domain_name: text(1, 253) }, [
  'legal_name',
  'brand_name',
  'domain_name',
])
const common = { transaction_id: text(1, 36), date_time: { types: ['string'], format: 'date-time' } as Schema }

/** Frequencies, in the codes of ISO 20022. */
const FREQUENCIES = [
  ...['INDA', 'DAIL', 'WEEK', 'TOWK', 'TWMN', 'MNTH'],
  ...['TOMN', 'QUTR', 'FOMN', 'SEMI', 'YEAR', 'TYEA'],
]
const laterPayments = object({
  amount_variable: flag,
  min_amount: amount,
  max_amount: amount,
  total_amount: amount,
  initial_amount: amount,
  initial_amount_number: whole,
  apr: number,
})
const recurrence = object(
  {
    start_date: moment,
    end_date: moment,
    number: whole,
    frequency: { types: ['string'], values: FREQUENCIES },
    mit_options: laterPayments,
  },
  ['frequency'],
)

const payment: Schema = {
  ...object(
    {
      ...common,
      payee: object({ name: text(1, 200), id: text(1, 200), logo: address, website: address }, ['name', 'id']),
      currency: { types: ['string'], format: 'currency' },
      amount,
      amount_estimated: flag,
      amount_earmarked: flag,
      sct_inst: flag,
      pisp: provider,
      execution_date: moment,
      recurrence,
    },
    ['transaction_id', 'payee', 'currency', 'amount'],
  ),
  not: has('execution_date', 'recurrence'),
}
const riskyAction = object({ ...common, action: text(1, 140), service: text(1, 100) }, ['transaction_id', 'action'])
const accountAccess = object({ ...common, aisp: provider, description: text(1, 140) }, ['transaction_id'])
const mandate: Schema = {
  ...object(
    {
      ...common,
      start_date: moment,
      end_date: moment,
      reference_number: text(1, 50),
      creditor_id: text(1, 50),
      purpose: text(1, 1000),
      payment_payload: payment,
    },
    ['transaction_id'],
  ),
  ...either(has('purpose'), has('payment_payload')),
}

/** The only member besides `type` and `credential` is the payload. */
const inPayload = (payload: Schema): Schema => object({ payload }, ['payload'])

const document = object(
  {
    label: text(1, 200),
    hash: text(1, 200),
    hashType: text(1, 20),
    access: object({ type: { types: ['string'], values: ['public', 'OTP'] }, oneTimePassword: text(1, 100) }, ['type']),
    href: address,
    checksum: text(1, 200),
  },
  ['hash'],
)
const documents: Schema = { types: ['array'], items: document, count: { min: 1, max: 50 } }
const approval: Schema = {
  ...object(
    {
      credentialID: text(1, 200),
      signatureQualifier: text(1, 100),
      numSignatures: whole,
      documentDigests: documents,
      documentInfos: documents,
      hashAlgorithmOID: {
        types: ['string'],
        values: ['2.16.840.1.101.3.4.2.1', '2.16.840.1.101.3.4.2.2', '2.16.840.1.101.3.4.2.3'],
      },
      locations: { types: ['array'], items: address, count: { max: 10 } },
    },
    ['numSignatures', 'hashAlgorithmOID'],
  ),
  // Names the signing key by its id or its quality, and what it signs.
  ...either(
    ...['credentialID', 'signatureQualifier'].flatMap((key) => [
      has(key, 'documentDigests'),
      has(key, 'documentInfos'),
    ]),
  ),
}

const builtIn = (type: string, title: string, schema: Schema): TransactionType => ({ type, title, schema })

/** The schemas of all types are closed: they refuse members that are not listed. */
export const BUILT_IN_TYPES: readonly TransactionType[] = [
  builtIn('urn:eudi:sca:payment:1', 'Payment', inPayload(payment)),
  builtIn('urn:eudi:sca:login_risk_transaction:1', 'Sign-in or risky action', inPayload(riskyAction)),
  builtIn('urn:eudi:sca:account_access:1', 'Access to an account', inPayload(accountAccess)),
  builtIn('urn:eudi:sca:emandate:1', 'Mandate', inPayload(mandate)),
  builtIn('https://cloudsignatureconsortium.org/2025/qes-approval', 'Approval of a signature', approval),
]

export const builtInType = (type: string): TransactionType | null =>
  BUILT_IN_TYPES.find((one) => one.type === type) ?? null
