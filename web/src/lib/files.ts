/** Files that somebody picks: made ready to be sent, read as the data URL the contract wants, and described. */

export type FileKind = {
  /** For the browser's dialog; the content decides. */
  accept: string
  /** The file as it is sent. Rejects with an error whose message is for the person who picked it. */
  read: (file: File) => Promise<File>
}

/** A proof of payment: a picture or a PDF. */
export const PROOF: FileKind = {
  accept: 'image/*,.heic,.heif,application/pdf',
  read: async (file) => (await reader()).readProof(file),
}

/** A photo of a person, or the image of an address. */
export const PICTURE: FileKind = {
  accept: 'image/*,.heic,.heif',
  read: async (file) => (await reader()).readPicture(file),
}

// Not needed before a file is picked.
const reader = () =>
  import('./picked-file').catch(() => {
    throw new Error('The file could not be read. Check your connection and choose it again.')
  })

export function readAsDataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(reader.result as string)
    reader.onerror = () => reject(reader.error ?? new Error('The file could not be read'))
    reader.readAsDataURL(file)
  })
}

/** `1.4 MB` */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  const kilobytes = bytes / 1024
  return kilobytes < 1024 ? `${kilobytes.toFixed(0)} KB` : `${(kilobytes / 1024).toFixed(1)} MB`
}

/** Hands a file to the browser's downloads. */
export function saveFile(content: Blob, name: string) {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
