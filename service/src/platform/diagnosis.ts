// What an operator is told of one part of the installation: whether it is well, and how to mend it.

export interface Diagnosis {
  readonly area: string
  readonly status: 'ok' | 'warning' | 'problem'
  readonly finding: string
  readonly mend?: string
}
