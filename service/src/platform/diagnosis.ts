// Defines the diagnosis of one part of the installation for the operator: whether it is healthy, and the remedy.

export interface Diagnosis {
  readonly area: string
  readonly status: 'ok' | 'warning' | 'problem'
  readonly finding: string
  readonly remedy?: string
}
