import { useSearchParams } from 'react-router'
import { cx } from '@/components/cx'
import { SelectField, TextField } from '@/components/field'
import { Segmented } from '@/components/segmented'
import { trails, type AuditFilter } from '../api/audit'
import { useStaffList, useStaffName } from '@/features/admin/api/staff'
import { CsvButton } from '@/features/admin/components/csv-button'
import { useMay } from '@/features/admin/permissions'
import { filterOptions } from '@/features/admin/sentences'
import { useTypedParam, withParam } from '@/features/admin/use-typed-param'
import { MemberField } from './member-field'

/** Which rows are shown, and the same rows as a file. */
export function AuditFilters({ filter }: { filter: AuditFilter }) {
  const [, setParams] = useSearchParams()
  // An address may name the beginning of an action.
  const isListed = !filter.action || filterOptions.some(({ value }) => value === filter.action)
  const from = useTypedParam('from')
  const to = useTypedParam('to')
  const may = useMay()
  return (
    <div className="space-y-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <Segmented
          legend="Log"
          options={trails}
          value={filter.service}
          onChange={(service) => setParams((now) => withParam(now, 'service', service), { replace: true })}
        />
        <CsvButton url="/admin/audit" filter={filter} name={`solvane-audit-${filter.service}`} />
      </div>
      <div className={cx('grid grid-cols-1 gap-x-4 gap-y-3 sm:grid-cols-2', may('seeStaff') ? 'lg:grid-cols-[1.5fr_1fr_1.5fr_1fr_1fr]' : 'lg:grid-cols-[1.5fr_1.5fr_1fr_1fr]')}>
        <SelectField
          label="Action"
          blank="Any action"
          options={isListed ? filterOptions : [...filterOptions, { value: filter.action, label: filter.action }]}
          value={filter.action}
          onChange={({ target }) => setParams((now) => withParam(now, 'action', target.value), { replace: true })}
        />
        {may('seeStaff') && <ByField actor={filter.actor} />}
        <MemberField id={filter.member} />
        <TextField label="From (UTC)" type="date" value={from.text} onChange={(event) => from.setText(event.target.value)} />
        <TextField label="To (UTC)" type="date" value={to.text} onChange={(event) => to.setText(event.target.value)} />
      </div>
    </div>
  )
}

/** Filter by person. Ended accounts are not offered, but are named if the address selects one. */
function ByField({ actor }: { actor: string }) {
  const [, setParams] = useSearchParams()
  const { data: staff = [] } = useStaffList()
  const staffName = useStaffName()
  const choices = staff.map(({ id, name }) => ({ value: id, label: name }))
  const isListed = !actor || choices.some(({ value }) => value === actor)
  return (
    <SelectField
      label="Actor"
      blank="Anyone"
      options={isListed ? choices : [...choices, { value: actor, label: staffName(actor) }]}
      value={actor}
      onChange={({ target }) => setParams((now) => withParam(now, 'actor', target.value), { replace: true })}
    />
  )
}
