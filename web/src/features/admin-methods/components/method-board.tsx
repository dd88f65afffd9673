import { useState } from 'react'
import { Badge } from '@/components/badge'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { ConfirmDialog, Dialog } from '@/components/dialog'
import { useSignature } from '@/components/use-signature'
import { usePlatformMethods, useProposeArchive } from '@/features/admin/api/platform-methods'
import type { PlatformMethod } from '@/features/admin/api/types'
import { useMay } from '@/features/admin/permissions'
import { Loaded } from '@/features/admin/components/loaded'
import { ShownCsvButton } from '@/features/admin/components/shown-csv-button'
import type { PaymentMethod } from '@/lib/api-types'
import { formatDay } from '@/lib/dates'
import { PlatformMethodForm } from './platform-method-form'
import { ProofForm } from './proof-form'
import { SignatureForm } from './signature-form'

const columns = {
  currency: (one: PaymentMethod) => one.currency,
  network: (one: PaymentMethod) => one.network,
  address: (one: PaymentMethod) => one.address,
  memo: (one: PaymentMethod) => one.memo,
  label: (one: PaymentMethod) => one.label,
  version: (one: PaymentMethod) => one.version,
}

/** Every address, the retired ones too, in its newest version. */
export function MethodsCsvButton() {
  const { data } = usePlatformMethods()
  const rows = data?.flatMap(({ current, versions }) => current ?? versions.at(-1) ?? []) ?? []
  return rows.length > 0 && <ShownCsvButton columns={columns} rows={rows} name="solvane-platform-methods" aria-label="Platform methods as CSV" />
}

/** Addresses that members send deposits to, each with every version it had [D-M1]. */
export function MethodBoard() {
  const query = usePlatformMethods()
  return (
    <Loaded query={query} label="Loading the methods" count={3} skeleton="h-44">
      {(methods) => (
        <ul className="grid grid-cols-1 items-start gap-4 xl:grid-cols-2">
          {methods.map((method) => (
            <li key={method.current?.id ?? method.versions[0]?.id}>
              <MethodCard method={method} />
            </li>
          ))}
        </ul>
      )}
    </Loaded>
  )
}

/** For treasurers: the way to another address. */
export function AddMethodButton() {
  const may = useMay()
  const [adding, setAdding] = useState(false)
  if (!may('changeMethods')) return null
  return (
    <>
      <Button onClick={() => setAdding(true)}>Propose a method</Button>
      <Dialog open={adding} onClose={() => setAdding(false)} title="Propose a platform method">
        <PlatformMethodForm onDone={() => setAdding(false)} />
      </Dialog>
    </>
  )
}

function MethodCard({ method: { current, active, proven, versions } }: { method: PlatformMethod }) {
  const may = useMay()
  const [editing, setEditing] = useState(false)
  const [signing, setSigning] = useState(false)
  const [proving, setProving] = useState(false)
  const shown = current ?? versions.at(-1)
  if (!shown) return null
  // Own addresses of members come from it, and the treasury key's signature proves them.
  const isKey = /^([xz]pub|wpkh\()/.test(shown.address)
  return (
    <Card className="p-4 sm:p-5">
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="text-base font-semibold">
          {shown.currency} on {shown.network}
        </h2>
        <Badge tone={active ? 'positive' : 'neutral'}>{active ? 'Active' : 'Retired'}</Badge>
        {active && <SignatureBadge method={shown} />}
        {active && proven && <Badge tone="positive">Proved {formatDay(`${proven}T12:00:00Z`)}</Badge>}
      </div>
      {shown.label && <p className="text-sm text-ink-faint">{shown.label}</p>}
      <code className="mt-2 block font-mono text-sm break-all select-all">{shown.address}</code>
      {shown.memo && <p className="mt-1 text-sm">Memo {shown.memo}</p>}
      <details className="mt-2 text-sm">
        <summary className="inline-flex min-h-10 items-center font-semibold text-accent-text">
          Version {shown.version} of {versions.length}
        </summary>
        <ol className="divide-y divide-line border-t border-line">
          {versions.toSorted((one, other) => other.version - one.version).map(({ version, address, memo }) => (
            <li key={version} className="grid grid-cols-[2rem_minmax(0,1fr)] py-2">
              <span className="tabular text-ink-faint">{version}</span>
              <span className="font-mono break-all">
                {address}
                {memo && `, memo ${memo}`}
              </span>
            </li>
          ))}
        </ol>
      </details>
      {active && may('changeMethods') && (
        <div className="mt-3 flex flex-wrap gap-2">
          <Button size="sm" variant="secondary" onClick={() => setEditing(true)}>
            Propose a change
          </Button>
          <Button size="sm" variant="secondary" onClick={() => setSigning(true)}>
            Attach a signature
          </Button>
          {!isKey && (
            <Button size="sm" variant="secondary" onClick={() => setProving(true)}>
              Attach a proof
            </Button>
          )}
          <ArchiveButton id={shown.id} name={`${shown.currency} on ${shown.network}`} />
          <Dialog open={editing} onClose={() => setEditing(false)} title={`Change ${shown.currency} on ${shown.network}`}>
            <PlatformMethodForm current={shown} onDone={() => setEditing(false)} />
          </Dialog>
          <Dialog open={signing} onClose={() => setSigning(false)} title={`Sign ${shown.currency} on ${shown.network}`}>
            <SignatureForm method={shown} onDone={() => setSigning(false)} />
          </Dialog>
          <Dialog open={proving} onClose={() => setProving(false)} title={`Prove the address of ${shown.currency} on ${shown.network}`}>
            <ProofForm id={shown.id} onDone={() => setProving(false)} />
          </Dialog>
        </div>
      )}
    </Card>
  )
}

const signatures = {
  checking: { tone: 'neutral', label: 'Checking the signature' },
  signed: { tone: 'positive', label: 'Signed' },
  unsigned: { tone: 'caution', label: 'Unsigned' },
  wrong: { tone: 'negative', label: 'Wrong signature' },
  unverified: { tone: 'neutral', label: 'Signature not verified' },
} as const

function SignatureBadge({ method }: { method: PaymentMethod }) {
  const { tone, label } = signatures[useSignature(method)]
  return <Badge tone={tone}>{label}</Badge>
}

function ArchiveButton({ id, name }: { id: string; name: string }) {
  const [asking, setAsking] = useState(false)
  const archive = useProposeArchive(id)
  return (
    <>
      <Button size="sm" variant="danger" onClick={() => setAsking(true)}>
        Propose to retire
      </Button>
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        title={`Retire ${name}`}
        confirm="Propose"
        onConfirm={() => archive.mutateAsync(null, { onSuccess: () => setAsking(false) })}
      >
        <p className="text-sm">Once another treasurer confirms, members can no longer choose this method. Payments already sent to it can still be approved.</p>
      </ConfirmDialog>
    </>
  )
}
