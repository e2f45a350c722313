// The part of an OpenAPI 3.1 document that we write and show.

export interface OpenApiDocument {
  readonly openapi: '3.1.0'
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly servers: readonly { readonly url: string }[]
  readonly tags?: readonly { readonly name: string; readonly description: string }[]
  /** The webhooks by event type. The dashboard's document has none. */
  readonly webhooks?: Readonly<Record<string, object>>
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, object>>; readonly securitySchemes: object }
}

export interface OpenApiOperation {
  readonly operationId?: string
  readonly summary?: string
  readonly description?: string
  readonly tags?: readonly string[]
  readonly security: readonly object[]
  readonly parameters: readonly object[]
  readonly requestBody?: object
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content?: object; readonly headers?: object }>
  >
}
