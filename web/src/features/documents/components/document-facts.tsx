import { CircleCheck } from 'lucide-react'
import { useId, useState } from 'react'
import { DropZone } from '@/components/drop-zone'
import { Notice } from '@/components/notice'
import type { DocumentRecord } from '../api/check-document'

const kinds: Record<string, string> = { statement: 'Account statement', year_report: 'Year report', receipt: 'Receipt or transaction record' }

const day = new Intl.DateTimeFormat('en-US', { year: 'numeric', month: 'long', day: 'numeric', timeZone: 'UTC' })

/** What is known of a document, and a place to compare a file with it. The file stays in the browser. */
export function DocumentFacts({ document: { kind, issuedOn, sha256 } }: { document: DocumentRecord }) {
  return (
    <div className="p-6 sm:p-8">
      <CircleCheck aria-hidden className="size-8 text-accent-text" />
      <p className="mt-4 text-ink-soft">We issued a document with this number.</p>
      <dl className="mt-6 space-y-5">
        {[['Kind', kinds[kind] ?? kind], ['Issued on', `${day.format(new Date(issuedOn))} UTC`]].map(([label, value]) => (
          <div key={label}>
            <dt className="text-sm text-ink-faint">{label}</dt>
            <dd className="mt-0.5 text-lg font-semibold text-ink">{value}</dd>
          </div>
        ))}
        <div>
          <dt className="text-sm text-ink-faint">SHA-256 of the file</dt>
          <dd className="mt-0.5 font-mono text-[0.8125rem] break-all">{sha256}</dd>
        </div>
      </dl>
      <Comparison sha256={sha256} />
    </div>
  )
}

type Verdict = 'same' | 'different' | 'unreadable'

const verdicts = {
  same: { tone: 'info', title: 'The file is the one we issued', text: 'Not a byte of it was changed.' },
  different: { tone: 'caution', title: 'The file is not the one we issued', text: 'It was changed or printed anew, or it is another document. Trust only the file as it was downloaded.' },
  unreadable: { tone: 'caution', title: 'The file could not be read', text: 'Choose it again.' },
} as const

function Comparison({ sha256 }: { sha256: string }) {
  const id = useId()
  const [verdict, setVerdict] = useState<Verdict>()
  const compare = async ([file]: File[]) => {
    if (!file) return
    setVerdict(await hashOf(file).then((hash): Verdict => (hash === sha256 ? 'same' : 'different'), () => 'unreadable'))
  }
  return (
    <div className="mt-8">
      <h2 className="text-lg font-semibold">Compare your file</h2>
      <p className="mt-1 text-sm text-ink-soft">The number alone does not show that figures are unchanged. Your file is not sent anywhere.</p>
      <DropZone id={id} accept="application/pdf" className="mt-4 block py-6 text-center" onPick={(files) => void compare(files)}>
        <span className="font-medium text-accent-text">Choose the PDF</span>
      </DropZone>
      <div role="status" className="mt-4">
        {verdict && (
          <Notice tone={verdicts[verdict].tone} title={verdicts[verdict].title}>
            {verdicts[verdict].text}
          </Notice>
        )}
      </div>
    </div>
  )
}

async function hashOf(file: File): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', await file.arrayBuffer())
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
