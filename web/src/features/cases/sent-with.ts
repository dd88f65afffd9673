import { readAsDataUrl } from '@/lib/files'

/** The file of a message as the contract wants it; nothing without one. */
export const sentWith = async (file: File | null): Promise<{ file?: string }> => (file ? { file: await readAsDataUrl(file) } : {})
