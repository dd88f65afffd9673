import { useState, type FormEvent } from 'react'
import { Badge } from '@/components/badge'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { Dialog } from '@/components/dialog'
import { TextField } from '@/components/field'
import { toApiError } from '@/lib/api-error'
import type { User } from '@/lib/api-types'
import { formatDay } from '@/lib/dates'
import { useMember } from '@/lib/session'
import { useDisableStaff, useInviteStaff, useStaffList } from '../api/staff'
import { isRole, roles, useMay, type Role } from '../permissions'
import { Loaded } from './loaded'
import { Cell, Table } from './table'

/** Who may enter the back office, and as what [D-O1]. */
export function StaffBoard() {
  const may = useMay()
  const query = useStaffList()
  return (
    <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_21rem]">
      <Card className="overflow-hidden">
        <Loaded query={query} label="Loading the staff" count={6}>
          {(staff) => (
            <Table label="Staff" columns={['Name', 'Role', 'Since', 'Account', '']}>
              {staff.map((one) => (
                <Row key={one.id} one={one} />
              ))}
            </Table>
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
      <Cell>{isRole(one.role) ? roles[one.role].name : one.role}</Cell>
      <Cell className="whitespace-nowrap text-ink-faint">{one.createdAt && formatDay(one.createdAt)}</Cell>
      <Cell>
        {one.isFrozen ? <Badge tone="negative">Disabled</Badge> : one.isVerified ? <Badge tone="positive">Active</Badge> : <Badge>Invited</Badge>}
      </Cell>
      <Cell right>{may('changeStaff') && !one.isFrozen && one.id !== me.id && <DisableButton one={one} />}</Cell>
    </tr>
  )
}

function DisableButton({ one }: { one: User }) {
  const [asking, setAsking] = useState(false)
  const disable = useDisableStaff()
  return (
    <>
      <Button size="sm" variant="danger" aria-label={`Disable ${one.name}`} onClick={() => setAsking(true)}>
        Disable
      </Button>
      <Dialog
        open={asking}
        onClose={() => setAsking(false)}
        title={`Disable ${one.name}`}
        footer={
          <>
            <Button variant="ghost" onClick={() => setAsking(false)}>
              Cancel
            </Button>
            <Button busy={disable.isPending} onClick={() => disable.mutate(one.id, { onSuccess: () => setAsking(false) })}>
              Disable
            </Button>
          </>
        }
      >
        <p className="text-sm text-left">Every session of this account ends within seconds, and nobody can log in with it again. What it did stays in the trail.</p>
      </Dialog>
    </>
  )
}

function InviteForm() {
  const invite = useInviteStaff()
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('reviewer')
  const [tried, setTried] = useState(false)
  const { fields } = toApiError(invite.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (!name.trim() || !email.includes('@')) return
    invite.mutate(
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
      <h2 className="text-base font-semibold">Invite somebody</h2>
      <form noValidate onSubmit={submit} className="mt-3 space-y-4">
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
        <fieldset>
          <legend className="mb-1.5 text-sm font-medium">Role</legend>
          <div className="overflow-hidden rounded-md border border-line-control">
            {(Object.keys(roles) as Role[]).map((one) => (
              <label key={one} className="flex items-start gap-3 border-b border-line px-3 py-2 text-sm last:border-b-0 hover:bg-sunken has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-accent">
                <input type="radio" name="role" value={one} checked={role === one} onChange={() => setRole(one)} className="mt-1 size-4 shrink-0 accent-(--accent)" />
                <span>
                  <span className="block font-medium">{roles[one].name}</span>
                  <span className="block text-ink-soft">{roles[one].does}</span>
                </span>
              </label>
            ))}
          </div>
          {fields['role'] && <p role="alert" className="mt-1.5 text-sm text-negative">{fields['role']}</p>}
        </fieldset>
        <Button type="submit" busy={invite.isPending} busyLabel="Inviting...">
          Send the invitation
        </Button>
      </form>
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
