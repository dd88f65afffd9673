import { Download } from 'lucide-react'
import { useState } from 'react'
import { Address } from '@/components/address'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { Dialog } from '@/components/dialog'
import { TextAreaField } from '@/components/field'
import { FileDrop } from '@/components/file-drop'
import { Notice } from '@/components/notice'
import { useMay } from '@/features/admin/permissions'
import type { WaitingTransaction } from '@/features/admin/api/types'
import { toApiError } from '@/lib/api-error'
import { formatTime } from '@/lib/dates'
import { saveFile } from '@/lib/files'
import { formatMoney } from '@/lib/money'
import { useMember } from '@/lib/session'
import { formatAsset, formatUnits } from '@/lib/units'
import { psbtFile, psbtIn, startedBy, together, useDissolvePayouts, usePreparePayouts, useRecordDetected, useSendPayouts, type Prepared, type Together } from '../api/payout-batch'
import { useVerdicts } from '../api/verdicts'
import { joined } from '../views'

/** Several payouts of one asset in one transaction: signed elsewhere, checked and sent by the server [D-N5]. */
export function PayoutBatches({ rows }: { rows: WaitingTransaction[] }) {
  const me = useMember()
  const isAllowed = useMay()('pay')
  const { verdicts } = useVerdicts()
  const prepare = usePreparePayouts(me.id)
  const [batch, setBatch] = useState<Together>()
  const groups = isAllowed ? together(joined(rows, verdicts), me.id) : []
  const started = isAllowed ? startedBy(rows, me.id) : []
  const open = (group: Together) => {
    setBatch(group)
    return prepare.mutateAsync(group.payouts).catch(() => undefined)
  }
  const close = () => (setBatch(undefined), prepare.reset())
  if (groups.length === 0 && started.length === 0 && !batch) return null
  return (
    <Card className="mb-5 space-y-3 p-4">
      <p className="text-sm text-ink-soft">
        Payouts of one asset can be paid in one transaction. Starting them fixes their amounts and reserves them for you for 15 minutes.
      </p>
      <div className="flex flex-wrap gap-3">
        {groups.map((group) => (
          <Button key={group.label} size="sm" busyLabel="Starting..." onClick={() => open(group)}>
            {`Pay ${group.payouts.length} in ${group.label} together`}
          </Button>
        ))}
        {started.map((group) => (
          <GiveUp key={group.label} group={group} />
        ))}
      </div>
      {prepare.error && <Notice tone="caution" title="Not prepared">{toApiError(prepare.error).message}</Notice>}
      {batch && prepare.data && <Batch key={batch.label} batch={batch} prepared={prepare.data} rows={rows} onClose={close} />}
    </Card>
  )
}

/** Ends what the caller has started of a group: the payouts are free for others [D-N5]. */
function GiveUp({ group: { label, payouts } }: { group: Together }) {
  const dissolve = useDissolvePayouts()
  const started = payouts.map(({ id, revision }) => ({ id, revision }))
  return (
    <Button variant="secondary" size="sm" busyLabel="Ending..." onClick={() => dissolve.mutateAsync(started).catch(() => undefined)}>
      {`Give up ${started.length} in ${label}`}
    </Button>
  )
}

type BatchProps = { batch: Together; prepared: Prepared; rows: WaitingTransaction[]; onClose: () => void }

function Batch({ batch, prepared, rows, onClose }: BatchProps) {
  const { started, refusals, psbt } = prepared
  const send = useSendPayouts()
  const [signed, setSigned] = useState('')
  const count = started.length
  const noun = count === 1 ? '1 payout' : `${count} payouts`
  const submit = () => send.mutateAsync({ payouts: started, psbt: signed }).catch(() => undefined)
  return (
    <Dialog
      open
      onClose={onClose}
      title={`${noun} in ${batch.label}`}
      footer={
        psbt && !send.data ? (
          <Button busyLabel="Checking..." disabled={!signed} onClick={submit}>
            {`Send ${noun}`}
          </Button>
        ) : (
          <Button variant="secondary" onClick={onClose}>
            Done
          </Button>
        )
      }
    >
      <div role="region" aria-label="Payouts of this transaction" tabIndex={0} className="max-h-64 overflow-y-auto">
        <ul className="divide-y divide-line text-sm">
          {batch.payouts.map((one) => (
            <Line key={one.id} one={rows.find(({ id }) => id === one.id)} known={one} refusal={refusals[one.id]} isSent={send.isSuccess} />
          ))}
        </ul>
      </div>
      <div className="mt-4 space-y-4">
        {send.data ? (
          <Notice title={send.data.sent ? 'Transaction sent' : 'Recorded, not sent yet'}>
            <code className="font-mono text-xs break-all">{send.data.txid}</code>
          </Notice>
        ) : psbt ? (
          <Sign psbt={psbt} prepared={prepared} onSigned={setSigned} error={send.error} />
        ) : (
          count > 0 && <PayElsewhere prepared={prepared} />
        )}
      </div>
    </Dialog>
  )
}

/** A payout as it is now; one that is not in the list any more is final. */
function Line({ one, known, refusal, isSent }: { one?: WaitingTransaction; known: WaitingTransaction; refusal?: string; isSent: boolean }) {
  const { user, reference, destination, payout, paying, netAmount, amount } = one ?? known
  const state = refusal
    ? `Left out: ${refusal}`
    : !one
      ? 'Paid, final on the chain'
      : one.sentAt || isSent
        ? 'Sent, awaiting the network'
        : paying?.until
          ? `Prepared, yours until ${formatTime(paying.until)}`
          : 'Prepared'
  return (
    <li className="py-2">
      <p className="flex flex-wrap justify-between gap-x-4 font-medium text-ink">
        <span className="min-w-0 truncate">{`${user.name}, ${reference}`}</span>
        <span className="tabular">{payout ? formatAsset(payout) : formatMoney(netAmount ?? amount)}</span>
      </p>
      {destination && (
        <code className="block text-xs">
          <Address>{destination.address}</Address>
        </code>
      )}
      <p className={refusal ? 'text-negative' : 'text-ink-faint'}>{state}</p>
    </li>
  )
}

const SIGNED = { accept: '.psbt,.txt,text/plain,application/octet-stream', read: (file: File) => Promise.resolve(file) }

function Sign({ psbt, prepared, onSigned, error }: { psbt: string; prepared: Prepared; onSigned: (psbt: string) => void; error: Error | null }) {
  const [file, setFile] = useState<File | null>(null)
  const [pasted, setPasted] = useState('')
  const pick = async (picked: File) => {
    setFile(picked)
    onSigned(await psbtIn(picked))
  }
  const refusal = error ? (toApiError(error).fields['psbt'] ?? toApiError(error).message) : undefined
  return (
    <>
      {prepared.feeUnits && <p className="text-sm text-ink-faint">{`Network fee: ${formatUnits(prepared.feeUnits, 8)} BTC`}</p>}
      <Button variant="secondary" wide onClick={() => saveFile(psbtFile(psbt), 'payouts.psbt')}>
        <Download aria-hidden className="size-4" />
        <span>Download to sign</span>
      </Button>
      <p className="text-sm">
        Compare amounts and addresses on the signing device. The signed transaction is checked output by output before it is sent.
      </p>
      <FileDrop
        label="Signed transaction"
        hint="PSBT file"
        kind={SIGNED}
        file={file}
        onPick={(picked) => void pick(picked)}
        onRemove={() => (setFile(null), onSigned(pasted.trim()))}
        error={refusal}
      />
      {!file && (
        <TextAreaField
          label="Or paste it"
          rows={2}
          spellCheck={false}
          className="font-mono text-xs"
          value={pasted}
          onChange={({ target }) => (setPasted(target.value), onSigned(target.value.trim()))}
        />
      )}
    </>
  )
}

/** Without a PSBT: files for other signers, and what the chain shows afterwards. */
function PayElsewhere({ prepared: { files = [], started } }: { prepared: Prepared }) {
  const record = useRecordDetected()
  const recorded = record.data
  return (
    <>
      <div className="flex flex-wrap gap-3">
        {files.map(({ name, contentType, content }) => (
          <Button key={name} variant="secondary" size="sm" onClick={() => saveFile(new Blob([content], { type: contentType }), name)}>
            {`Download ${name}`}
          </Button>
        ))}
      </div>
      <p className="text-sm">
        Import a file into the program that signs. When the payments are on the chain, they are recognised by address and amount. A hash is typed only where the
        chain does not show them.
      </p>
      <Button wide busyLabel="Looking..." onClick={() => record.mutateAsync(started).catch(() => undefined)}>
        Record what the chain shows
      </Button>
      {recorded !== undefined && (
        <Notice title={recorded === 0 ? 'Nothing new on the chain' : `${recorded} recorded`}>
          {recorded === started.length ? 'All payouts are recorded.' : 'Payments appear a few seconds after they were sent.'}
        </Notice>
      )}
      {record.error && <Notice tone="caution" title="Not recorded">{toApiError(record.error).message}</Notice>}
    </>
  )
}
