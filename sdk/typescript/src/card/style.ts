// The style sheet of <vidimus-verify>: the look of the hosted page, in the font of the page around it.

/** The card adapts to the width of its place, and is light or dark like the page. */
export const STYLE = `
:host { display: block; container-type: inline-size; box-sizing: border-box; inline-size: 100%; max-width: 46rem; font: inherit; line-height: 1.5; text-align: start;
  --b: var(--vidimus-accent, light-dark(#1f5f5b, #7fd0c7)); --ob: var(--vidimus-accent-text, light-dark(#fff, #06211f)); --e: transparent; --a: var(--vidimus-accent, light-dark(#1f5f5b, #7fd0c7));
  --text: light-dark(#17211f, #e9efec); --soft: light-dark(#55625e, #a9b6b1); --line: light-dark(#d9dfdc, #414544); --s: var(--vidimus-surface, light-dark(#fff, #1d1f1f)) }
.card { display: grid; gap: 1.25rem; padding: 1.5rem; border: 1px solid var(--line); border-radius: 1.25rem; background: var(--s); color: var(--text) }
h2 { margin: 0 0 .5rem; font: inherit; font-size: 1.375rem; font-weight: 700; line-height: 1.25; text-wrap: balance }
h2 span { display: block; color: var(--soft); font-size: 1rem; font-weight: 500 }
h2 .amount { color: var(--text); font-size: 2.25rem; font-weight: 700; font-variant-numeric: tabular-nums }
h3 { margin: 0 0 .25rem; font: inherit; font-weight: 600 }
p { margin: .5rem 0; text-wrap: pretty }
p:empty, [part=question] > :last-child { margin-bottom: 0 }
p:empty { margin-top: 0 }
ul { margin: 0; padding: 0; list-style: none }
h2, p, li { overflow-wrap: anywhere }
li { position: relative; padding: .25rem 0; padding-inline-start: 1.75rem }
.receives li::before { content: ''; position: absolute; inset-inline-start: .3rem; top: .55rem; width: .35rem; height: .7rem; border: solid var(--a); border-width: 0 2px 2px 0; rotate: 45deg }
.soft { color: var(--soft); font-size: .875rem }
b { color: var(--text); font-weight: 600 }
.test { margin: 0; padding: .25rem .75rem; border-radius: .5rem; background: light-dark(#fdf1d8, #382a0d); color: light-dark(#5e3d00, #f0c269); font-size: .8125rem; font-weight: 600; justify-self: start }
.answer { display: grid; align-content: start; justify-items: center; text-align: center }
.answer > * { width: 100%; max-width: 22rem; text-wrap: balance }
img { box-sizing: border-box; width: 100%; max-width: 14rem; aspect-ratio: 1; padding: .5rem; background: #fff; border: 1px solid var(--line); border-radius: .75rem }
a, button { display: block; box-sizing: border-box; width: 100%; min-height: 3.25rem; margin: .5rem 0; padding: .85rem 1rem; border: 1px solid var(--e); border-radius: .875rem;
  background: var(--b); color: var(--ob); font: inherit; font-weight: 600; text-align: center; text-decoration: none; text-wrap: balance; cursor: pointer }
.quiet { min-height: 2.75rem; margin: 0; padding: .5rem; border-color: transparent; background: none; color: var(--a); font-weight: 500 }
.cancel { color: var(--soft) }
.or { display: flex; align-items: center; align-self: stretch; gap: .75rem; margin: .5rem 0 1rem }
.or::before, .or::after { content: ''; flex: 1; border-top: 1px solid var(--line) }
[part~=browser] { margin-top: 0 }
button:disabled { opacity: .6; cursor: progress }
summary { display: flex; align-items: center; justify-content: center; min-height: 2.75rem; color: var(--a); font-weight: 600; cursor: pointer; list-style: none }
summary::-webkit-details-marker { display: none }
summary::after { content: ''; width: 7px; height: 7px; margin-inline: .75rem .25rem; border: solid; border-width: 0 2px 2px 0; rotate: 45deg; translate: 0 -2px }
[open] > summary::after { rotate: 225deg; translate: 0 2px }
.more { padding-top: 1rem; border-top: 1px solid var(--line) }
.rows { margin-top: 1rem; font-size: .875rem }
.rows details { border-top: 1px solid var(--line) }
.rows summary { justify-content: space-between; color: var(--text); font-weight: 500 }
.rows li { padding-inline-start: 0 }
:focus-visible { outline: 3px solid var(--a); outline-offset: 2px }
.way { display: flex; flex-direction: column; align-items: center }
.mark { position: relative; display: grid; place-items: center; box-sizing: border-box; width: 4rem; max-width: 4rem; height: 4rem; margin: .5rem auto 1rem; border-radius: 50%; color: var(--t, var(--a)); background: color-mix(in srgb, currentColor 12%, transparent) }
.mark::before, .mark::after { content: ''; position: absolute; box-sizing: border-box }
[data-step=completed] .mark { background: light-dark(#1b6b3a, #7ed69b); color: var(--s) }
[data-step=completed] .mark::before { width: 1rem; height: 1.9rem; border: solid; border-width: 0 .25rem .25rem 0; rotate: 45deg; translate: 0 -.2rem }
[data-step=failed] .mark { --t: light-dark(#a42a24, #ff9d94) }
[data-step=failed] .mark::before, [data-step=failed] .mark::after { width: 2rem; height: .25rem; border-radius: 2px; background: currentColor; rotate: 45deg }
[data-step=failed] .mark::after { rotate: -45deg }
:is([data-step=declined], [data-step=expired], [data-step=unknown], [data-step=cancelled]) .mark { --t: var(--soft) }
:is([data-step=declined], [data-step=expired], [data-step=unknown], [data-step=cancelled]) .mark::before { width: 1.5rem; height: .25rem; border-radius: 2px; background: currentColor }
[data-step=fetched] .mark::before { width: 1.4rem; height: 2.3rem; border: 3px solid; border-bottom-width: 7px; border-radius: 5px }
[data-step=fetched] .mark::after { inset: 0; border: 2px solid; border-radius: 50%; animation: ring 1.8s ease-out infinite }
[data-step=checking] .mark::before { inset: 0; border: .25rem solid; border-inline-end-color: transparent; border-radius: 50%; animation: turn 1.2s linear infinite }
[data-step=checking] .mark::after { width: 1.6rem; height: 1.2rem; border: 3px solid; border-radius: 4px; box-shadow: inset 0 6px 0 -3px }
.title { margin: .25rem 0; font-weight: 600 }
.card:not([data-step=pending]) .title { font-size: 1.125rem }
.card[data-ended] .title { font-size: 1.375rem; font-weight: 700 }
[data-ended] .test { justify-self: center }
[data-ended] .more { padding: 0; border: 0 }
[data-ended] .more > :not(.rows) { display: none }
[data-step=pending] .title::before { content: ''; display: inline-block; width: .55rem; height: .55rem; margin-inline-end: .55rem; border-radius: 50%; background: var(--a); animation: fade 1.8s ease-in-out infinite }
.time { font-variant-numeric: tabular-nums }
@container (width >= 36rem) {
  .card:not([data-ended]) { grid-template: auto auto 1fr / 1fr 17rem; column-gap: 1.5rem; padding: 2rem }
  .test { grid-column: 1 / -1 }
  .card:not([data-ended]) .answer { grid-area: 2 / 2 / 4 / 3; padding-inline-start: 1.5rem; border-inline-start: 1px solid var(--line) }
  .more { padding: 0; border: 0 }
}
@keyframes turn { to { rotate: 1turn } }
@keyframes fade { 50% { opacity: .25 } }
@keyframes ring { to { scale: 1.5; opacity: 0 } }
@media (prefers-reduced-motion: reduce) { .mark::before, .mark::after, .title::before { animation: none !important } }
[hidden] { display: none !important }
`
