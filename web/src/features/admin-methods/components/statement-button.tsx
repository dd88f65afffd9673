import { Download } from 'lucide-react'
import { Button } from '@/components/button'
import { saveFile } from '@/lib/files'
import { statementMoment, statementOf, type SignedVersion } from '@/lib/treasury'

export const SIGNATURE_HINT = 'What "payment-method treasury-key sign" printed for the statement.'

type StatementButtonProps = { version: Omit<SignedVersion, 'signature'>; disabled?: boolean }

/** Downloads the statement that the treasury key signs on a machine without network. */
export function StatementButton({ version, disabled = false }: StatementButtonProps) {
  const download = () => {
    const statement = new Blob([statementOf(version, statementMoment(new Date()))], { type: 'text/plain' })
    const name = `${version.currency}-${version.network}`.toLowerCase().replace(/[^a-z0-9]+/g, '-')
    saveFile(statement, `solvane-address-${name}-v${version.version}.txt`)
  }
  return (
    <Button size="sm" variant="secondary" disabled={disabled} icon={<Download aria-hidden className="size-4" />} onClick={download}>
      {`Download the statement of version ${version.version}`}
    </Button>
  )
}
