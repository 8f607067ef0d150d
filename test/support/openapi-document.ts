/** Parts of an OpenAPI document, as far as tests look into them. */
export interface Operation {
  readonly operationId: string
  readonly security: object[]
  readonly parameters: { name: string; in: string; schema: object }[]
  readonly requestBody?: {
    required: boolean
    content: Record<string, { schema: { properties?: object; required?: string[] } }>
  }
  readonly responses: Record<string, { description: string; content: Record<string, { schema?: object }> }>
}

export interface Schema {
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly required?: readonly string[]
  readonly description?: string
  readonly examples?: readonly unknown[]
}
