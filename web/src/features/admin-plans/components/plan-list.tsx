import { Link } from 'react-router'
import { Badge } from '@/components/badge'
import { Card } from '@/components/card'
import type { Plan } from '@/lib/api-types'
import { formatDateTime } from '@/lib/dates'
import { formatMoney } from '@/lib/money'
import { useAllPlans } from '@/features/admin/api/plans'
import { adminPaths } from '@/features/admin/paths'
import { CardHead } from '@/features/admin/components/card-head'
import { Loaded } from '@/features/admin/components/loaded'
import { ShownCsvButton } from '@/features/admin/components/shown-csv-button'
import { Cell, Table } from '@/features/admin/components/table'

const columns = {
  plan: (one: Plan) => one.title,
  minimum: (one: Plan) => one.min,
  maximum: (one: Plan) => one.max,
  targetPercent: (one: Plan) => one.roi,
  days: (one: Plan) => one.duration,
  value: (one: Plan) => one.value,
  publishedAt: (one: Plan) => one.valueAt,
  status: (one: Plan) => (one.active ? 'offered' : 'not offered'),
}

/** Every plan with its terms and the value in force. */
export function PlanList() {
  const query = useAllPlans()
  return (
    <Card className="overflow-hidden">
      {query.data && (
        <CardHead title="Plans">
          <ShownCsvButton size="sm" columns={columns} rows={query.data} name="solvane-plans" aria-label="Plans as CSV" />
        </CardHead>
      )}
      <Loaded query={query} label="Loading the plans">
        {(plans) => (
          <Table
            label="Plans"
            columns={['Plan', 'Range', 'Target', 'Duration', { name: 'Value', right: true }, 'Published', 'Status']}
          >
            {plans.map((plan) => (
              <tr key={plan.id} className="hover:bg-sunken/50">
                <Cell>
                  <Link to={adminPaths.plan(plan.id)} className="font-medium whitespace-nowrap text-accent-text hover:underline">
                    {plan.title}
                  </Link>
                  <span className="block text-ink-faint max-lg:hidden">{plan.subtitle}</span>
                </Cell>
                <Cell className="tabular whitespace-nowrap">
                  {formatMoney(plan.min)} to {formatMoney(plan.max)}
                </Cell>
                <Cell className="tabular">{plan.roi}%</Cell>
                <Cell className="tabular whitespace-nowrap">{plan.duration} days</Cell>
                <Cell right className="tabular font-medium">
                  {plan.value ?? '–'}
                </Cell>
                <Cell className="whitespace-nowrap text-ink-faint">{plan.valueAt ? formatDateTime(plan.valueAt) : 'never'}</Cell>
                <Cell>
                  <Badge tone={plan.active ? 'positive' : 'neutral'}>{plan.active ? 'Offered' : 'Not offered'}</Badge>
                </Cell>
              </tr>
            ))}
          </Table>
        )}
      </Loaded>
    </Card>
  )
}
