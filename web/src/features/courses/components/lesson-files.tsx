import { Download, FileText } from 'lucide-react'
import { formatBytes } from '@/lib/files'
import type { Attachment } from '../api/course'

/** The files of a lesson. */
export function LessonFiles({ files }: { files: readonly Attachment[] }) {
  if (files.length === 0) return null
  return (
    <section aria-labelledby="downloads" className="mt-10">
      <h2 id="downloads" className="mb-3 text-lg font-semibold">
        Downloads
      </h2>
      <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
        {files.map(({ name, size, url }) => (
          <li key={url}>
            <a href={url} download={name} className="flex min-h-14 items-center gap-3 px-4 py-2 hover:bg-sunken">
              <FileText aria-hidden className="size-5 shrink-0 text-ink-faint" />
              <span className="min-w-0 flex-1 font-medium wrap-anywhere">{name}</span>
              <span className="tabular shrink-0 text-sm text-ink-faint">{formatBytes(size)}</span>
              <Download aria-hidden className="size-4.5 shrink-0 text-accent-text" />
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}
