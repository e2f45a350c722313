// Every format that an answer can contain, under its name in queries and results. A new one is a folder and a line.

export { mdoc as mso_mdoc } from './mdoc/format.ts'
export { mdocZk as mso_mdoc_zk } from './mdoc-zk/format.ts'
export { sdJwt as 'dc+sd-jwt' } from './sd-jwt/format.ts'
