// The frame of every page for signed-in people: company, environment and menu.

import { useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { NavLink, Outlet, useLocation, useNavigate, useParams } from 'react-router'
import type { Environment } from '../../wire/parts.ts'
import { post } from './api.ts'
import { useWords } from './preferences.tsx'
import { ActProvider, type Here, HereProvider, hereOf, useHere, useMe } from './session.tsx'
import { AccountMenu } from './ui/account-menu.tsx'
import { Icon } from './ui/icon.tsx'
import { Logo } from './ui/logo.tsx'
import { Button, buttonClass, Empty, Skeleton } from './ui/parts.tsx'

const loadPalette = () => import('./ui/palette.tsx')
const Palette = lazy(async () => ({ default: (await loadPalette()).Palette }))

/** The entries of the menu: daily work first, then what is set up once. */
const GROUPS = [
  {
    name: null,
    pages: [
      ['', 'overview'],
      ['/verifications', 'verifications'],
      ['/links', 'links'],
      ['/templates', 'templates'],
      ['/devices', 'devices'],
      ['/branding', 'branding'],
    ],
  },
  {
    name: 'connect',
    pages: [
      ['/keys', 'keys'],
      ['/webhooks', 'webhooks'],
      ['/clients', 'clients'],
    ],
  },
  {
    name: 'approval',
    pages: [
      ['/going-live', 'goingLive'],
      ['/registration', 'registration'],
      ['/trust', 'trust'],
    ],
  },
  {
    name: 'company',
    pages: [
      ['/usage', 'usage'],
      ['/audit', 'audit'],
      ['/team', 'team'],
      ['/settings', 'settings'],
    ],
  },
] as const
const PAGES = GROUPS.flatMap(({ pages }) => [...pages])

export function Shell() {
  const me = useMe()
  const params = useParams<'tenant' | 'environment'>()
  if (me.data === undefined) return <Skeleton />
  const here = hereOf(me.data, params)
  if (here === null) {
    return <NothingHere />
  }
  return (
    <HereProvider value={here}>
      <ActProvider me={me.data}>
        <Frame here={here} />
      </ActProvider>
    </HereProvider>
  )
}

/** For a path that does not exist, or a company that is not the person's. */
export function NothingHere() {
  const { notFound, notFoundLead, toStart } = useWords()
  useEffect(() => {
    document.title = `${notFound} · Vidimus`
  }, [notFound])
  return (
    <main className="mx-auto max-w-xl px-4 py-10 sm:py-20">
      <div className="mb-8 flex justify-center">
        <Logo />
      </div>
      <Empty isPage icon="search" title={notFound}>
        <p>{notFoundLead}</p>
        <NavLink to="/" className={`${buttonClass('primary')} mt-6`}>
          {toStart}
        </NavLink>
      </Empty>
    </main>
  )
}

function Frame({ here }: { here: Here }) {
  const words = useWords()
  const [open, setOpen] = useState(false)
  const { pathname } = useLocation()
  const main = useRef<HTMLElement>(null)
  const [searching, setSearching] = usePaletteKey()
  const isTest = here.environment === 'test'
  const client = useQueryClient()
  const navigate = useNavigate()
  const signOut = async () => {
    await post('/sign-out', {})
    navigate('/sign-in', { replace: true })
    client.clear()
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page closes the menu
  useEffect(() => setOpen(false), [pathname])
  return (
    <>
      <a href="#main" className="sr-only focus:not-sr-only focus:absolute focus:z-20 focus:bg-surface focus:p-3">
        {words.skip}
      </a>
      <header>
        {isTest && (
          <p className="bg-warn-soft px-4 py-1.5 text-center text-[13px] text-warn lg:fixed lg:inset-x-0 lg:top-0 lg:z-10 lg:h-8">
            <strong className="mr-2 tracking-widest uppercase">{words.test}</strong>
            <span className="max-sm:hidden">{words.testRibbon}</span>
            <span className="sm:hidden">{words.testRibbonShort}</span>
          </p>
        )}
        <div className="flex items-center justify-between px-4 pt-4 lg:hidden">
          <Logo />
          <Button icon="menu" aria-expanded={open} aria-controls="menu" onClick={() => setOpen(!open)}>
            {words.menu}
          </Button>
        </div>
      </header>
      <div className={`mx-auto flex max-w-[88rem] flex-col lg:flex-row ${isTest ? 'lg:pt-8' : ''}`}>
        <aside
          id="menu"
          className={`${open ? 'flex' : 'hidden'} shrink-0 flex-col px-4 py-5 lg:sticky lg:flex lg:w-64 lg:px-6 lg:pt-5 lg:pb-4 ${isTest ? 'lg:top-8 lg:h-[calc(100dvh-2rem)]' : 'lg:top-0 lg:h-dvh'}`}
        >
          <div className="mb-3 hidden items-center justify-between lg:flex">
            <Logo />
            <DocsLink className="flex items-center gap-1.5 text-sm text-soft underline-offset-4 hover:text-ink hover:underline" />
          </div>
          <RealmChoice here={here} />
          <button
            type="button"
            onClick={() => setSearching(true)}
            className="mt-2 flex min-h-9 w-full shrink-0 items-center gap-2.5 rounded-lg border border-line bg-surface px-2.5 text-sm text-soft hover:text-ink"
          >
            <Icon name="search" className="size-4" />
            <span className="grow text-left">{words.finding.palette}</span>
            <kbd className="hidden rounded border border-line px-1.5 font-sans text-xs lg:inline">Ctrl K</kbd>
          </button>
          <nav aria-label={words.menu} className="-mx-2 mt-3 px-2 lg:min-h-0 lg:grow lg:overflow-y-auto">
            {GROUPS.map(({ name, pages }) => (
              <div key={name} className="mb-2">
                {name !== null && <p className="px-2.5 pt-1 pb-0.5 text-xs text-soft">{words.groups[name]}</p>}
                <ul>
                  {pages.map(([path, page]) => (
                    <li key={page}>
                      <NavLink
                        to={here.page(path)}
                        end={path === ''}
                        className={({ isActive }) =>
                          `flex items-center gap-2.5 rounded-lg px-2.5 py-2 text-sm lg:py-1 ${isActive ? 'bg-accent-soft font-medium text-accent' : 'text-ink/80 hover:bg-sunken hover:text-ink'}`
                        }
                      >
                        <Icon name={page} className="size-4.5 opacity-80" />
                        {words[page].title}
                      </NavLink>
                    </li>
                  ))}
                  {name === 'connect' && (
                    <li className="lg:hidden">
                      <DocsLink className="flex items-center gap-2.5 rounded-lg px-2.5 py-2 text-sm text-ink/80 hover:bg-sunken hover:text-ink" />
                    </li>
                  )}
                </ul>
              </div>
            ))}
          </nav>
          <AccountMenu here={here} signOut={signOut} />
        </aside>
        <main ref={main} id="main" tabIndex={-1} className="min-w-0 grow px-4 py-6 outline-none sm:px-8 lg:py-9">
          <Suspense fallback={<Skeleton />}>
            <Outlet />
          </Suspense>
        </main>
      </div>
      {searching && (
        <Suspense>
          <Palette
            pages={PAGES.map(([path, icon]) => ({ path, icon, name: words[icon].title }))}
            onClose={() => setSearching(false)}
          />
        </Suspense>
      )}
    </>
  )
}

function DocsLink({ className }: { className: string }) {
  const words = useWords()
  return (
    <a href="/docs" target="_blank" rel="noreferrer" title={words.docs} className={className}>
      <Icon name="docs" className="size-4.5 opacity-80" />
      {words.docsShort}
    </a>
  )
}

/** Ctrl-K or ⌘K, except while another dialog is open. */
function usePaletteKey() {
  const [searching, setSearching] = useState(false)
  useEffect(() => {
    // Preloads it, so that letters typed right after the keys reach it. If loading fails, opening it shows the error.
    loadPalette().catch(() => undefined)
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return
      event.preventDefault()
      if (document.querySelector('dialog[open]') === null) setSearching(true)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return [searching, setSearching] as const
}

function RealmChoice({ here }: { here: Here }) {
  const words = useWords()
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const [, , , section = ''] = pathname.split('/')
  const go = (tenant: string, environment: Environment) =>
    navigate(`/${tenant}/${environment}${section === '' ? '' : `/${section}`}`)
  return (
    <div className="space-y-2">
      {here.me.tenants.length > 1 ? (
        <select
          aria-label={words.tenant}
          className="w-full rounded-lg border border-line bg-surface px-3 min-h-10 font-medium"
          value={here.tenant.id}
          onChange={(event) => go(event.currentTarget.value, here.environment)}
        >
          {here.me.tenants.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      ) : (
        <p className="truncate px-1 font-medium">{here.tenant.name}</p>
      )}
      <fieldset className="grid grid-cols-2 rounded-lg bg-sunken p-1">
        <legend className="sr-only">{words.environment}</legend>
        {(['test', 'live'] as const).map((environment) => (
          <button
            key={environment}
            type="button"
            aria-pressed={here.environment === environment}
            onClick={() => go(here.tenant.id, environment)}
            className={`min-h-8 rounded-md text-sm ${here.environment === environment ? 'bg-surface font-semibold shadow-sm dark:bg-line' : 'text-soft'}`}
          >
            {words[environment]}
          </button>
        ))}
      </fieldset>
    </div>
  )
}

/** The title of the tab, with TEST in the test environment. */
export function useTitle(title: string): void {
  const { environment, tenant } = useHere()
  useEffect(() => {
    document.title = `${environment === 'test' ? 'TEST · ' : ''}${title} · ${tenant.name}`
  }, [title, environment, tenant])
}
