/**
 * A file that somebody picked, made ready to be sent: named by its content instead of its ending, and photos reduced to
 * what the server takes. Its bytes are read at once, so that nothing happens if the file changes or disappears later.
 */

/** What the server takes. */
const MAX_UPLOAD_BYTES = 5 * 1024 * 1024

/** Of what is read into memory at all. */
const MAX_PICKED_BYTES = 100 * 1024 * 1024

/** The server decodes this many pixels of any picture, also of a progressive JPEG. */
const MAX_PIXELS = 8_000_000
/** Longest side of a reduced photo: text on a photographed screen stays readable. */
const REDUCED_SIDE = 2560
const QUALITIES = [0.85, 0.7, 0.5]

const UNREADABLE = 'The file could not be read. Choose it again.'
const DAMAGED = 'This picture cannot be read. It may be damaged: open it, save it again and choose the new file.'
const HEIC =
  'This browser cannot read HEIC photos. Choose a screenshot of the photo, or set your camera to “Most compatible” (JPEG).'

/** A sentence about the file, for the person who picked it. */
export class FileRefusal extends Error {}

type Kind = 'png' | 'jpeg' | 'webp' | 'gif' | 'pdf' | 'heic' | 'picture' | 'other'

const SENT = { png: 'image/png', jpeg: 'image/jpeg', webp: 'image/webp', gif: 'image/gif' } as const

/** A proof of payment: a picture or a PDF. */
export const readProof = (file: File) => read(file, ['png', 'jpeg', 'webp', 'gif', 'pdf'], 'Choose an image or a PDF')

/** A photo of a person, or the image of an address. */
export const readPicture = (file: File) => read(file, ['png', 'jpeg', 'webp'], 'Choose an image')

async function read(file: File, taken: Kind[], wrongKind: string): Promise<File> {
  if (file.size > MAX_PICKED_BYTES) throw new FileRefusal('The file is larger than 100 MB')
  const bytes = await bytesOf(file)
  const { kind, start } = kindOf(new Uint8Array(bytes, 0, Math.min(bytes.byteLength, 1024)))
  if (kind === 'other') throw new FileRefusal(wrongKind)
  if (kind === 'pdf') {
    if (!taken.includes('pdf')) throw new FileRefusal(wrongKind)
    if (bytes.byteLength - start > MAX_UPLOAD_BYTES) throw new FileRefusal('The file is larger than 5 MB')
    return named(file, [bytes.slice(start)], 'application/pdf')
  }
  const picture = await decode(new Blob([bytes], { type: file.type }), kind)
  try {
    const isSmall = bytes.byteLength <= MAX_UPLOAD_BYTES && picture.width * picture.height <= MAX_PIXELS
    if (isSmall && taken.includes(kind) && kind in SENT) return named(file, [bytes], SENT[kind as keyof typeof SENT])
    return named(file, [await reduce(picture)], 'image/jpeg')
  } finally {
    picture.close()
  }
}

function bytesOf(file: File): Promise<ArrayBuffer> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(reader.result as ArrayBuffer)
    reader.onerror = () => reject(new FileRefusal(UNREADABLE))
    reader.readAsArrayBuffer(file)
  })
}

/** By the first bytes. Some banks put a few before the PDF. */
export function kindOf(head: Uint8Array): { kind: Kind; start: number } {
  const text = String.fromCharCode(...head)
  const pdf = text.indexOf('%PDF-')
  if (pdf >= 0) return { kind: 'pdf', start: pdf }
  return { kind: pictureKind(text), start: 0 }
}

function pictureKind(text: string): Kind {
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'png'
  if (text.startsWith('\xff\xd8\xff')) return 'jpeg'
  if (text.startsWith('GIF8')) return 'gif'
  if (text.startsWith('RIFF') && text.startsWith('WEBP', 8)) return 'webp'
  if (text.startsWith('ftyp', 4)) {
    const brand = text.slice(8, 12)
    if (/^(hei|hev|mif1|msf1)/.test(brand)) return 'heic'
    return brand.startsWith('avi') ? 'picture' : 'other'
  }
  return /^(II\*\0|MM\0\*|BM)/.test(text) ? 'picture' : 'other'
}

/** Upright: the browser applies the orientation that the camera wrote. */
async function decode(blob: Blob, kind: Kind): Promise<ImageBitmap> {
  try {
    return await createImageBitmap(blob)
  } catch {
    throw new FileRefusal(kind === 'heic' ? HEIC : DAMAGED)
  }
}

/** As a JPEG on white, since a proof with a transparent background would turn black. */
async function reduce(picture: ImageBitmap): Promise<Blob> {
  const scale = Math.min(1, REDUCED_SIDE / Math.max(picture.width, picture.height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(picture.width * scale))
  canvas.height = Math.max(1, Math.round(picture.height * scale))
  const context = canvas.getContext('2d')
  if (!context) throw new FileRefusal(DAMAGED)
  context.fillStyle = '#fff'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.drawImage(picture, 0, 0, canvas.width, canvas.height)
  for (const quality of QUALITIES) {
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', quality))
    if (blob && blob.size <= MAX_UPLOAD_BYTES) return blob
  }
  throw new FileRefusal('This picture is larger than 5 MB. Choose a smaller one.')
}

/** The same name, with the ending of the content where it has become or was another. */
function named({ name, type, lastModified }: File, content: BlobPart[], sent: string): File {
  const base = name.replace(/\.[^.]{1,5}$/, '')
  return new File(content, type === sent ? name : `${base}.${sent.split('/')[1] ?? ''}`, { type: sent, lastModified })
}
