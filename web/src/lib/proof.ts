/** What a proof of payment must be before it is sent; the server looks into the file again. */
import { MAX_UPLOAD_BYTES } from './files'

export const PROOF_TYPES = 'image/*,application/pdf'

export function proofRefusal(file: File): string | null {
  if (!file.type.startsWith('image/') && file.type !== 'application/pdf') return 'Choose an image or a PDF'
  if (file.size > MAX_UPLOAD_BYTES) return 'The file is larger than 5 MB'
  return null
}
