// Writes a tagged PDF of one page with embedded fonts and attachments, in ASCII and reproducibly.

import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import type { Font } from './font.ts'

/** An element of the structure that screen readers follow. */
export type Tag =
  | { readonly type: 'H1' | 'H2' | 'P'; readonly marks: readonly number[] }
  | { readonly type: 'Figure'; readonly marks: readonly number[]; readonly alt: string }
  | {
      readonly type: 'Table'
      readonly rows: readonly { readonly head: readonly number[]; readonly data: readonly number[] }[]
    }

export interface AttachedFile {
  readonly name: string
  readonly type: string
  readonly description: string
  readonly text: string
}

export interface PdfPage {
  readonly title: string
  readonly language: string
  readonly createdAtMs: number
  readonly width: number
  readonly height: number
  /** Operators of the content stream, in ASCII. */
  readonly content: string
  readonly tags: readonly Tag[]
  /** The fonts by their names in the content, with the used glyphs and the text of each. */
  readonly fonts: Readonly<Record<string, UsedFont>>
  readonly files: readonly AttachedFile[]
}

export interface UsedFont {
  readonly font: Font
  readonly used: ReadonlyMap<number, string>
}

export function writePdf(page: PdfPage): string {
  const pdf = new PdfObjects()
  const catalog = pdf.reserve()
  const pages = pdf.reserve()
  const pageId = pdf.reserve()
  const content = pdf.stream('', Buffer.from(page.content, 'latin1'))
  const fonts = Object.entries(page.fonts).map(([name, used]) => `/${name} ${ref(writeFont(pdf, used))}`)
  const structure = writeStructure(pdf, page.tags, pageId)
  const files = page.files.map((file) => ({ file, id: writeFile(pdf, file, page.createdAtMs) }))
  const metadata = pdf.add(plainStream('/Type /Metadata /Subtype /XML', xmpOf(page)))
  const info = pdf.add(
    `<< /Title ${textOf(page.title)} /Producer (Vidimus) /CreationDate (${dateOf(page.createdAtMs)}) >>`,
  )
  const names = files.toSorted((one, other) => (one.file.name < other.file.name ? -1 : 1))
  pdf.set(
    catalog,
    `<< /Type /Catalog /Pages ${ref(pages)} /Lang (${page.language}) /MarkInfo << /Marked true >> /StructTreeRoot ${ref(structure)} ` +
      `/ViewerPreferences << /DisplayDocTitle true >> /Metadata ${ref(metadata)} /AF [${files.map(({ id }) => ref(id)).join(' ')}] ` +
      `/Names << /EmbeddedFiles << /Names [${names.map(({ file, id }) => `(${file.name}) ${ref(id)}`).join(' ')}] >> >> >>`,
  )
  pdf.set(pages, `<< /Type /Pages /Kids [${ref(pageId)}] /Count 1 >>`)
  pdf.set(
    pageId,
    `<< /Type /Page /Parent ${ref(pages)} /MediaBox [0 0 ${page.width} ${page.height}] /Contents ${ref(content)} ` +
      `/Resources << /Font << ${fonts.join(' ')} >> >> /StructParents 0 /Tabs /S >>`,
  )
  return pdf.write(catalog, info)
}

const ref = (id: number) => `${id} 0 R`
const hexOf = (bytes: Buffer) => `${bytes.toString('hex')}>`
/** Returns a text string in hexadecimal: UTF-16 with its byte order mark. */
const textOf = (text: string) => `<feff${Buffer.from(text, 'utf16le').swap16().toString('hex')}>`
const dateOf = (ms: number) => `D:${new Date(ms).toISOString().replace(/[-:T]|\.\d+Z/g, '')}Z`

/** Not compressed, so that readers find metadata and attachments without decoding the rest. */
const plainStream = (dictionary: string, text: string) =>
  `<< ${dictionary} /Length ${text.length} >>\nstream\n${text}\nendstream`

class PdfObjects {
  private readonly bodies: string[] = []

  reserve(): number {
    return this.bodies.push('')
  }

  set(id: number, body: string): void {
    this.bodies[id - 1] = body
  }

  add(body: string): number {
    return this.bodies.push(body)
  }

  stream(dictionary: string, bytes: Buffer): number {
    const data = hexOf(deflateSync(bytes))
    return this.add(plainStream(`${dictionary} /Filter [/ASCIIHexDecode /FlateDecode]`, data))
  }

  write(root: number, info: number): string {
    let text = '%PDF-1.7\n'
    const offsets = this.bodies.map((body, i) => {
      const offset = text.length
      text += `${i + 1} 0 obj\n${body}\nendobj\n`
      return offset
    })
    const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`)
    const id = createHash('sha256').update(text).digest('hex').slice(0, 32)
    return `${text}xref\n0 ${rows.length + 1}\n0000000000 65535 f \n${rows.join('')}trailer\n<< /Size ${rows.length + 1} /Root ${ref(root)} /Info ${ref(info)} /ID [<${id}> <${id}>] >>\nstartxref\n${text.length}\n%%EOF\n`
  }
}

function writeFont(pdf: PdfObjects, { font, used }: UsedFont): number {
  const file = font.subset(new Set(used.keys()))
  const prefix = createHash('sha256').update(file).digest().subarray(0, 6)
  const letters = Array.from(prefix, (byte) => String.fromCharCode(65 + (byte % 26))).join('')
  const name = `${letters}+${font.name}`
  const program = pdf.stream(`/Length1 ${file.length}`, file)
  const descriptor = pdf.add(
    `<< /Type /FontDescriptor /FontName /${name} /Flags 4 /FontBBox [${font.box.join(' ')}] /ItalicAngle 0 /Ascent ${font.ascent} ` +
      `/Descent ${font.descent} /CapHeight ${font.capHeight} /StemV 80 /FontFile2 ${ref(program)} >>`,
  )
  const glyphs = [...used.keys()].sort((a, b) => a - b)
  const widths = glyphs.map((glyph) => `${glyph} [${font.widthOf(glyph)}]`).join(' ')
  const descendant = pdf.add(
    `<< /Type /Font /Subtype /CIDFontType2 /BaseFont /${name} /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> ` +
      `/FontDescriptor ${ref(descriptor)} /CIDToGIDMap /Identity /DW 500 /W [${widths}] >>`,
  )
  const unicode = pdf.stream('', Buffer.from(unicodeMap(used), 'latin1'))
  return pdf.add(
    `<< /Type /Font /Subtype /Type0 /BaseFont /${name} /Encoding /Identity-H /DescendantFonts [${ref(descendant)}] /ToUnicode ${ref(unicode)} >>`,
  )
}

/** Maps glyphs to text, for copying and screen readers. */
function unicodeMap(used: ReadonlyMap<number, string>): string {
  const rows = [...used].map(
    ([glyph, text]) =>
      `<${glyph.toString(16).padStart(4, '0')}> <${Buffer.from(text, 'utf16le').swap16().toString('hex')}>`,
  )
  const blocks: string[] = []
  // A block has at most 100 rows.
  for (let at = 0; at < rows.length; at += 100) {
    const block = rows.slice(at, at + 100)
    blocks.push(`${block.length} beginbfchar\n${block.join('\n')}\nendbfchar`)
  }
  return `/CIDInit /ProcSet findresource begin
12 dict begin
begincmap
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
/CMapName /Adobe-Identity-UCS def
/CMapType 2 def
1 begincodespacerange
<0000> <ffff>
endcodespacerange
${blocks.join('\n')}
endcmap
CMapName currentdict /CMap defineresource pop
end
end`
}

function writeStructure(pdf: PdfObjects, tags: readonly Tag[], pageId: number): number {
  const root = pdf.reserve()
  const document = pdf.reserve()
  const owners = new Map<number, number>()
  const leaf = (type: string, parent: number, marks: readonly number[], more = ''): number => {
    const id = pdf.add(
      `<< /Type /StructElem /S /${type} /P ${ref(parent)} /Pg ${ref(pageId)} /K [${marks.join(' ')}]${more} >>`,
    )
    for (const mark of marks) owners.set(mark, id)
    return id
  }
  const group = (type: string, parent: number, children: (id: number) => readonly number[]): number => {
    const id = pdf.reserve()
    const kids = children(id).map(ref).join(' ')
    pdf.set(id, `<< /Type /StructElem /S /${type} /P ${ref(parent)} /K [${kids}] >>`)
    return id
  }
  const kids = tags.map((tag) => {
    if (tag.type === 'Figure') return leaf('Figure', document, tag.marks, ` /Alt ${textOf(tag.alt)}`)
    if (tag.type !== 'Table') return leaf(tag.type, document, tag.marks)
    return group('Table', document, (table) =>
      tag.rows.map(({ head, data }) =>
        group('TR', table, (row) => [leaf('TH', row, head, ' /A << /O /Table /Scope /Row >>'), leaf('TD', row, data)]),
      ),
    )
  })
  pdf.set(document, `<< /Type /StructElem /S /Document /P ${ref(root)} /K [${kids.map(ref).join(' ')}] >>`)
  const parents = [...owners].sort(([one], [other]) => one - other).map(([, id]) => ref(id))
  const tree = pdf.add(`<< /Nums [0 [${parents.join(' ')}]] >>`)
  pdf.set(root, `<< /Type /StructTreeRoot /K [${ref(document)}] /ParentTree ${ref(tree)} /ParentTreeNextKey 1 >>`)
  return root
}

/** The key `Vidimus` lets verifiers find the file without parsing the whole PDF. */
function writeFile(pdf: PdfObjects, { name, type, description, text }: AttachedFile, createdAtMs: number): number {
  const bytes = Buffer.from(text, 'utf8')
  const subtype = type.replace('/', '#2f')
  const date = dateOf(createdAtMs)
  const embedded = pdf.add(
    plainStream(
      `/Type /EmbeddedFile /Vidimus (${name}) /Subtype /${subtype} /Params << /Size ${bytes.length} /CreationDate (${date}) /ModDate (${date}) >> /Filter /ASCIIHexDecode`,
      hexOf(bytes),
    ),
  )
  return pdf.add(
    `<< /Type /Filespec /F (${name}) /UF (${name}) /Desc ${textOf(description)} /AFRelationship /Source /EF << /F ${ref(embedded)} /UF ${ref(embedded)} >> >>`,
  )
}

function xmpOf({ title, language, createdAtMs }: PdfPage): string {
  const escaped = title.replace(/[^\x20-\x7e]|[&<>]/gu, (character) => `&#${character.codePointAt(0)};`)
  const date = new Date(createdAtMs).toISOString()
  return `<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/">
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">${escaped}</rdf:li></rdf:Alt></dc:title>
<dc:language><rdf:Bag><rdf:li>${language}</rdf:li></rdf:Bag></dc:language>
<xmp:CreateDate>${date}</xmp:CreateDate>
</rdf:Description></rdf:RDF></x:xmpmeta>
<?xpacket end="r"?>`
}
