import { useState } from 'react'
import { Badge } from '@/components/badge'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { ConfirmDialog } from '@/components/dialog'
import { TextField } from '@/components/field'
import { Form } from '@/components/form'
import { toApiError } from '@/lib/api-error'
import type { User } from '@/lib/api-types'
import { formatDay } from '@/lib/dates'
import { useMember } from '@/lib/session'
import { useChangeRole, useDisableStaff, useInviteStaff, useStaffList } from '@/features/admin/api/staff'
import type { Role } from '@/features/admin/api/types'
import { roles, useMay } from '@/features/admin/permissions'
import { Loaded } from '@/features/admin/components/loaded'
import { ShownCsvButton } from '@/features/admin/components/shown-csv-button'
import { Cell, Table } from '@/features/admin/components/table'

/** Of the file, by the names of the contract. */
const columns = {
  id: (one: User) => one.id,
  name: (one: User) => one.name,
  email: (one: User) => one.email,
  role: (one: User) => one.role,
  createdAt: (one: User) => one.createdAt,
  isVerified: (one: User) => String(one.isVerified),
  isFrozen: (one: User) => String(one.isFrozen),
}

/** Who may enter the back office, and as what [D-O1]; every change takes two admins [D-O5]. */
export function StaffBoard() {
  const may = useMay()
  const query = useStaffList()
  return (
    <div className="grid grid-cols-1 items-start gap-5 2xl:grid-cols-[minmax(0,1fr)_21rem]">
      <Card className="overflow-hidden">
        <Loaded query={query} label="Loading the staff" count={6}>
          {(staff) => (
            <>
              <div className="flex justify-end px-4 pt-3">
                <ShownCsvButton size="sm" columns={columns} rows={staff} name="solvane-staff" aria-label="Staff as CSV" />
              </div>
              <Table label="Staff" columns={['Name', 'Role', 'Since', 'Account', '']}>
                {staff.map((one) => (
                  <Row key={one.id} one={one} />
                ))}
              </Table>
            </>
          )}
        </Loaded>
      </Card>
      {may('changeStaff') ? <InviteForm /> : <RoleList />}
    </div>
  )
}

function Row({ one }: { one: User }) {
  const me = useMember()
  const may = useMay()
  return (
    <tr>
      <Cell>
        <span className="block font-medium">{one.name}</span>
        <span className="block text-ink-faint">{one.email}</span>
      </Cell>
      <Cell>{one.role && roles[one.role].name}</Cell>
      <Cell className="whitespace-nowrap text-ink-faint">{one.createdAt && formatDay(one.createdAt)}</Cell>
      <Cell>
        {one.isFrozen ? <Badge tone="negative">Disabled</Badge> : one.isVerified ? <Badge tone="positive">Active</Badge> : <Badge>Invited</Badge>}
      </Cell>
      <Cell right>
        {may('changeStaff') && !one.isFrozen && one.id !== me.id && (
          <span className="flex justify-end gap-2">
            <RoleButton one={one} />
            <DisableButton one={one} />
          </span>
        )}
      </Cell>
    </tr>
  )
}

function DisableButton({ one }: { one: User }) {
  const [asking, setAsking] = useState(false)
  const disable = useDisableStaff()
  return (
    <>
      <Button size="sm" variant="danger" aria-label={`Propose to disable the account of ${one.name}`} onClick={() => setAsking(true)}>
        Disable
      </Button>
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        title={`Disable the account of ${one.name}`}
        confirm="Propose"
        onConfirm={() => disable.mutateAsync(one.id, { onSuccess: () => setAsking(false) })}
      >
        <p className="text-sm text-start">Once another admin confirms, all sessions of this account end within seconds, and it can no longer log in. Its actions stay in the audit log.</p>
      </ConfirmDialog>
    </>
  )
}

function RoleButton({ one }: { one: User }) {
  const [asking, setAsking] = useState(false)
  const [role, setRole] = useState<Role | null>(one.role ?? null)
  const change = useChangeRole(one.id)
  return (
    <>
      <Button size="sm" variant="secondary" aria-label={`Propose a new role for ${one.name}`} onClick={() => setAsking(true)}>
        Role
      </Button>
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        title={`New role for ${one.name}`}
        confirm="Propose"
        disabled={!role || role === one.role}
        onConfirm={() => (role ? change.mutateAsync(role, { onSuccess: () => setAsking(false) }) : undefined)}
      >
        <div className="space-y-4 text-start">
          <p className="text-sm">Once another admin confirms, all sessions of this account end. The new role applies from the next login.</p>
          <RoleChoice name={`role-${one.id}`} value={role} onChange={setRole} error={toApiError(change.error).fields['role']} />
        </div>
      </ConfirmDialog>
    </>
  )
}

type RoleChoiceProps = { name: string; value: Role | null; onChange: (role: Role) => void; error?: string }

function RoleChoice({ name, value, onChange, error }: RoleChoiceProps) {
  return (
    <fieldset>
      <legend className="mb-1.5 text-sm font-medium">Role</legend>
      <div className="overflow-hidden rounded-md border border-line-control">
        {(Object.keys(roles) as Role[]).map((one) => (
          <label key={one} className="flex items-start gap-3 border-b border-line px-3 py-2 text-sm last:border-b-0 hover:bg-sunken has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-accent">
            <input type="radio" name={name} value={one} checked={value === one} onChange={() => onChange(one)} className="mt-1 size-4 shrink-0 accent-(--accent)" />
            <span>
              <span className="block font-medium">{roles[one].name}</span>
              <span className="block text-ink-soft">{roles[one].does}</span>
            </span>
          </label>
        ))}
      </div>
      {error && <p role="alert" className="mt-1.5 text-sm text-negative">{error}</p>}
    </fieldset>
  )
}

function InviteForm() {
  const invite = useInviteStaff()
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('reviewer')
  const [tried, setTried] = useState(false)
  const { fields } = toApiError(invite.error)
  const submit = () => {
    setTried(true)
    if (!name.trim() || !email.includes('@')) return
    return invite.mutateAsync(
      { name: name.trim(), email: email.trim(), role },
      {
        onSuccess: () => {
          setName('')
          setEmail('')
          setTried(false)
        },
      },
    )
  }
  return (
    <Card className="p-4 sm:p-5">
      <h2 className="text-base font-semibold">Propose a staff member</h2>
      <p className="mt-0.5 text-sm text-ink-faint">The invitation is emailed once another admin confirms it.</p>
      <Form onSubmit={submit} className="mt-3 space-y-4">
        <TextField
          label="Name"
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.target.value)}
          error={tried && !name.trim() ? 'Name is required' : fields['name']}
        />
        <TextField
          label="Email"
          type="email"
          autoComplete="off"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
          error={tried && !email.includes('@') ? 'Email is required' : fields['email']}
        />
        <RoleChoice name="role" value={role} onChange={setRole} error={fields['role']} />
        <Button type="submit" busyLabel="Proposing...">
          Propose the invitation
        </Button>
      </Form>
    </Card>
  )
}

function RoleList() {
  return (
    <Card className="p-4 sm:p-5">
      <h2 className="text-base font-semibold">Roles</h2>
      <dl className="mt-2 divide-y divide-line text-sm">
        {(Object.keys(roles) as Role[]).map((one) => (
          <div key={one} className="py-2">
            <dt className="font-medium">{roles[one].name}</dt>
            <dd className="text-ink-soft">{roles[one].does}</dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}
