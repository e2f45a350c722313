// How much of a list of steps is done: in words, and as a bar.

export function Progress({ text, done, all }: { text: string; done: number; all: number }) {
  return (
    <div>
      <p role="status" className="mb-2 text-sm font-medium tabular-nums">
        {text}
      </p>
      <div aria-hidden="true" className="h-2 overflow-hidden rounded-full bg-sunken">
        <div className="h-full rounded-full bg-accent" style={{ width: `${all === 0 ? 0 : (100 * done) / all}%` }} />
      </div>
    </div>
  )
}
