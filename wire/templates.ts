// Templates: what may be asked by its key.

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
                  'Of a template that has its holder agree to something: the `values` to give in `transaction`',
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

/** Its members are judged by the use case, with the path of what is wrong. */
const Document = Type.Object({})

export const Question = Closed({
  credentials: List(
    Closed({
      id: Type.String(),
      format: Type.String(),
      types: List(Type.String()),
      claims: List(Type.String({ description: 'Empty with `everything`' })),
      alternatives: Type.Boolean({ description: 'One of the claims is enough' }),
      everything: Type.Boolean({ description: 'The whole credential is asked for' }),
    }),
  ),
  choice: Type.Boolean({ description: 'The holder may choose among several credentials' }),
  warnings: List(oneOf(...QUESTION_WARNINGS)),
})
export type Question = Static<typeof Question>

export const Template = Closed({
  key: Type.String(),
  title: Type.String(),
  description: Type.String(),
  built_in: Type.Boolean(),
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
        covered_by: List(Type.String({ description: 'Another intended use that registers it' })),
      }),
    ),
    intended_use: orNull(Type.String({ description: 'The registration it would be asked under' })),
    html: orNull(Type.String({ description: 'The hosted page that asks it; null where none was wanted' })),
  }),
  Closed({
    outcome: Type.Literal('invalid'),
    path: Type.String({ description: 'Of what is wrong, in the document' }),
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
