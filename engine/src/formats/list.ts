// Lists every format by its name in queries and results. A new format is a folder and a line here.

export { mdoc as mso_mdoc } from './mdoc/format.ts'
export { mdocZk as mso_mdoc_zk } from './mdoc-zk/format.ts'
export { sdJwt as 'dc+sd-jwt' } from './sd-jwt/format.ts'
