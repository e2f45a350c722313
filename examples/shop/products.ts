// The shop's products, each with its picture.

export interface Product {
  readonly id: string
  readonly name: string
  readonly about: string
  /** In cents. */
  readonly price: number
  /** Only for people who are 18 or older. */
  readonly adult: boolean
  /** The drawing, in a square of 120. */
  readonly drawing: string
}

const bottle = (glass: string, label: string, cap: string) =>
  `<path d="M52 12h16v26c0 8 12 12 12 26v40a6 6 0 0 1-6 6H46a6 6 0 0 1-6-6V64c0-14 12-18 12-26z" fill="${glass}"/><path d="M51 8h18v12H51z" fill="${cap}"/><path d="M40 66h40v26H40z" fill="${label}"/><path d="M46 74h28M46 82h18" stroke="${glass}" stroke-width="2" stroke-linecap="round"/><path d="M46 60c1-8 10-12 10-22V26" fill="none" stroke="#ffffff" stroke-opacity=".35" stroke-width="3" stroke-linecap="round"/>`

export const PRODUCTS: readonly Product[] = [
  {
    id: 'red',
    name: 'Blaufränkisch 2023',
    about: 'Dark cherry, a little pepper. Burgenland.',
    price: 1290,
    adult: true,
    drawing: bottle('#5b1624', '#f6ead6', '#2c0a12'),
  },
  {
    id: 'white',
    name: 'Riesling 2024',
    about: 'Dry, mineral, green apple. Mosel.',
    price: 1190,
    adult: true,
    drawing: bottle('#6f8b4a', '#fbf7e8', '#c9a24b'),
  },
  {
    id: 'sparkling',
    name: 'Crémant brut',
    about: 'Brioche and fine bubbles. Alsace.',
    price: 1690,
    adult: true,
    drawing: bottle('#26453c', '#f3e3b3', '#d8b455'),
  },
  {
    id: 'juice',
    name: 'Grape juice',
    about: 'Pressed from the same vines, for everyone.',
    price: 490,
    adult: false,
    drawing: bottle('#7a3b76', '#fdf4fb', '#4f2150'),
  },
  {
    id: 'glasses',
    name: 'Two glasses',
    about: 'Thin, mouth-blown, dishwasher-safe.',
    price: 2400,
    adult: false,
    drawing:
      '<g fill="none" stroke="#7d98a6" stroke-width="3" stroke-linecap="round"><path d="M24 22h32c2 22-4 38-16 38S22 44 24 22zM40 60v38M28 100h24M66 30h32c2 22-4 38-16 38S64 52 66 30zM82 68v32M70 102h24"/></g><path d="M26 38h28c-1 13-5 20-14 20s-13-7-14-20z" fill="#7a1f2b"/><path d="M68 48h28c-2 11-6 18-14 18s-12-7-14-18z" fill="#e3c55b"/>',
  },
  {
    id: 'corkscrew',
    name: 'Corkscrew',
    about: 'Olive wood and steel. Lasts a lifetime.',
    price: 1850,
    adult: false,
    drawing:
      '<rect x="18" y="26" width="84" height="18" rx="9" fill="#9a6b3f"/><path d="M28 32h40" stroke="#c99a68" stroke-width="3" stroke-linecap="round"/><path d="M60 44v12M60 56c10 2 10 8 0 10s-10 8 0 10 10 8 0 10-8 8 0 14" fill="none" stroke="#6b7780" stroke-width="4" stroke-linecap="round"/>',
  },
]

export const productOf = (id: string) => PRODUCTS.find((product) => product.id === id)
