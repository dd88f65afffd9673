import { afterEach, describe, expect, it, vi } from 'vitest'
import { readPicture, readProof } from './picked-file'

const bytes = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0))
const PNG = '\x89PNG\r\n\x1a\n'
const JPEG = '\xff\xd8\xff\xe0'
const WEBP = 'RIFF\x10\0\0\0WEBPVP8 '
const HEIC = '\0\0\0\x18ftypheic\0\0\0\0mif1heic'
const file = (content: string, name: string, type: string) => new File([bytes(content)], name, { type, lastModified: 5 })

/** What the browser decodes, and what its canvas writes. */
function decodes(width: number, height: number, written = [1000]) {
  vi.stubGlobal('createImageBitmap', () => Promise.resolve({ width, height, close: () => undefined }))
  const drawn: { width: number; height: number }[] = []
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue({ fillRect: () => undefined, drawImage: () => undefined } as never)
  vi.spyOn(HTMLCanvasElement.prototype, 'toBlob').mockImplementation(function (this: HTMLCanvasElement, done) {
    drawn.push({ width: this.width, height: this.height })
    done(new Blob([new Uint8Array(written[drawn.length - 1] ?? 1)], { type: 'image/jpeg' }))
  })
  return drawn
}

/** What a browser does with a file that changed or is gone. */
const vanish = () =>
  vi.spyOn(FileReader.prototype, 'readAsArrayBuffer').mockImplementation(function (this: FileReader) {
    this.onerror?.(new ProgressEvent('error') as ProgressEvent<FileReader>)
  })

afterEach(() => vi.unstubAllGlobals())

describe('a picked file', () => {
  it('is named by its content, not by its ending [D-P2]', async () => {
    const mistaken = [
      [file(WEBP, 'saved.jpg', 'image/jpeg'), 'image/webp', 'saved.webp'],
      [file(PNG, 'shot.jpg', 'image/jpeg'), 'image/png', 'shot.png'],
      [file(JPEG, 'chat.png', 'image/png'), 'image/jpeg', 'chat.jpeg'],
      [file(JPEG, 'scan.jpg', 'image/pjpeg'), 'image/jpeg', 'scan.jpeg'],
      [file('%PDF-1.7 …', 'bank', 'application/octet-stream'), 'application/pdf', 'bank.pdf'],
    ] as const
    for (const [picked, type, name] of mistaken) expect(await readProof(picked)).toMatchObject({ type, name, lastModified: 5 })
    expect(await readProof(file(JPEG, 'photo.jpg', 'image/jpeg'))).toMatchObject({ name: 'photo.jpg', size: 4 })
  })

  it('loses what a bank put before its PDF [D-P2]', async () => {
    const read = await readProof(file('\xef\xbb\xbf\r\n%PDF-1.7', 'bank.pdf', 'application/pdf'))
    expect(await read.text()).toBe('%PDF-1.7')
  })

  it('is reduced if it is a photo of many pixels or bytes [D-V2] [DEP-05]', async () => {
    const drawn = decodes(8160, 6120)
    expect(await readProof(file(JPEG, 'IMG_1.jpg', 'image/jpeg'))).toMatchObject({ type: 'image/jpeg', size: 1000, name: 'IMG_1.jpg' })
    expect(drawn).toEqual([{ width: 2560, height: 1920 }])
    decodes(1000, 1000)
    expect(await readPicture(new File([bytes(JPEG), new Uint8Array(6_000_000)], 'big.jpg', { type: 'image/jpeg' }))).toMatchObject({ size: 1000 })
  })

  it('is written again with less quality until it fits [D-P2]', async () => {
    const drawn = decodes(5000, 4000, [6_000_000, 5_500_000, 4_000_000])
    expect(await readProof(file(PNG, 'noise.png', 'image/png'))).toMatchObject({ type: 'image/jpeg', size: 4_000_000, name: 'noise.jpeg' })
    expect(drawn).toHaveLength(3)
  })

  it('becomes a JPEG where the server does not take its kind but the browser reads it [DEP-05]', async () => {
    for (const content of [HEIC, '\0\0\0\x18ftypavif', 'II*\0', 'BM']) {
      decodes(4000, 3000)
      expect(await readProof(file(content, 'IMG_2.HEIC', ''))).toMatchObject({ type: 'image/jpeg', name: 'IMG_2.jpeg' })
    }
    decodes(10, 10)
    expect(await readPicture(file('GIF89a', 'a.gif', 'image/gif'))).toMatchObject({ type: 'image/jpeg' })
  })

  it('that cannot be read is refused with what to do [DEP-05]', async () => {
    vi.stubGlobal('createImageBitmap', () => Promise.reject(new Error('InvalidStateError')))
    await expect(readProof(file(HEIC, 'IMG_3.HEIC', ''))).rejects.toThrow(/cannot read HEIC photos\. Choose a screenshot/)
    await expect(readProof(file(JPEG, 'half.jpg', 'image/jpeg'))).rejects.toThrow(/may be damaged/)
    await expect(readProof(file('hello', 'a.txt', 'text/plain'))).rejects.toThrow('Choose an image or a PDF')
    await expect(readPicture(file('%PDF-1.7', 'a.pdf', 'application/pdf'))).rejects.toThrow('Choose an image')
    vanish()
    await expect(readProof(file(JPEG, 'gone.jpg', 'image/jpeg'))).rejects.toThrow('The file could not be read. Choose it again.')
  })

  it('stays as it was when it was picked [DEP-05]', async () => {
    const picked = file(PNG, 'shot.png', 'image/png')
    const read = await readProof(picked)
    expect(read).not.toBe(picked)
    expect(read.size).toBe(8)
  })
})
