// Describes templates, which are questions with a key.

import { type Static, Type } from 'typebox'
import { Closed, Language, List, Open, oneOf, orNull } from './parts.ts'
import { RegistrationConcern } from './registration.ts'
import { QUESTION_WARNINGS, TEMPLATE_PROBLEMS } from './values/templates.ts'

export const TemplateList = Type.Object(
  {
    environment: Type.Union([Type.Literal('test'), Type.Literal('live')], {
      description: 'Where the credential belongs: in `test` nothing is proof of anything',
    }),
    data: Type.Array(
      Type.Object(
        {
          key: Type.String({ minLength: 1, maxLength: 64 }),
          title: Type.String({ description: 'For people' }),
          fields: Type.Optional(
            Type.Array(
              Type.Object(
                { name: Type.String(), as: Type.Union([Type.Literal('text'), Type.Literal('number')]) },
                { additionalProperties: false },
              ),
              {
                description:
                  'If the template asks the holder to agree to something: the `values` to give in `transaction`',
              },
            ),
          ),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { $id: 'TemplateList', additionalProperties: false },
)
export type TemplateList = Static<typeof TemplateList>

/** The use case checks the members, and names the path of a fault. */
const Document = Type.Object({})

const QuestionClaim = Closed({
  names: List(Type.String({ description: 'From the whole to its part' })),
  entry: orNull(Type.Integer({ minimum: 1, description: 'Only this entry of the list' })),
  values: orNull(List(Type.Union([Type.String(), Type.Number(), Type.Boolean()]))),
})

const ClaimPosition = Type.Integer({ minimum: 0, description: 'A position in `claims`' })

/** The answers that a query allows: one option of each required set. The holder decides about optional sets. */
export const Question = Closed({
  credentials: List(
    Closed({
      id: Type.String(),
      format: Type.String(),
      types: List(Type.String({ description: 'Any of them' })),
      multiple: Type.Boolean({ description: 'Several credentials may answer' }),
      some_issuers: Type.Boolean({ description: 'Whether only issuers that the query names are accepted' }),
      // Those of the credential query, in its order. Sets name them by position, because many sets may name a long claim.
      claims: List(QuestionClaim),
      always: List(ClaimPosition),
      // Of each choice, the first option counts whose claims the credential has. An empty option: no further claim is needed.
      choices: List(List(List(ClaimPosition))),
    }),
  ),
  sets: List(
    Closed({
      required: Type.Boolean(),
      options: List(List(Type.String({ description: 'The id of a credential; an option needs all of them' }))),
    }),
  ),
  warnings: List(oneOf(...QUESTION_WARNINGS)),
})
export type Question = Static<typeof Question>

export const Template = Closed({
  key: Type.String(),
  title: Type.String(),
  description: Type.String(),
  built_in: Type.Boolean(),
  in_use: Type.Boolean({
    description:
      "Whether the registration must cover the template: true for the merchant's own, and for built-in ones used in the last 30 days",
  }),
  query: Open,
  outputs: orNull(Open),
  intended_use: orNull(Type.String()),
  transaction: orNull(Open),
  concerns: List(RegistrationConcern),
  question: Question,
})
export type Template = Static<typeof Template>

export const TemplatePreview = Type.Union([
  Closed({
    outcome: Type.Literal('sound'),
    question: Question,
    concerns: List(RegistrationConcern),
    over_asking: List(
      Closed({
        credential: Type.String({ description: 'The id of the credential query' }),
        claim: orNull(Type.String({ description: 'null: the type itself is not registered' })),
        covered_by: List(Type.String({ description: 'Other intended uses that register the claim' })),
      }),
    ),
    intended_use: orNull(Type.String({ description: 'The intended use of the request' })),
    html: orNull(Type.String({ description: 'The hosted page for this query; null: none' })),
  }),
  Closed({
    outcome: Type.Literal('invalid'),
    path: Type.String({ description: 'The path of the fault in the document' }),
    code: oneOf(...TEMPLATE_PROBLEMS),
    value: Type.String({ description: 'For the sentence' }),
  }),
])
export type TemplatePreview = Static<typeof TemplatePreview>

export const PagePreview = Type.Object({ language: Language, phone: Type.Boolean() }, { additionalProperties: false })
export type PagePreview = Static<typeof PagePreview>

export const Templates = Closed({ data: List(Template) })
export type Templates = Static<typeof Templates>

export const SaveTemplate = Closed({ document: Document })
export type SaveTemplate = Static<typeof SaveTemplate>

export const PreviewTemplate = Closed({
  key: Type.String({ maxLength: 200 }),
  document: Document,
  page: Type.Optional(PagePreview),
})
export type PreviewTemplate = Static<typeof PreviewTemplate>

export type TemplateProblem = (typeof TEMPLATE_PROBLEMS)[number]
