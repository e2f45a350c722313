// The operating system's account that PostgreSQL runs under.

export interface Account {
  readonly uid: number
  readonly gid: number
}
