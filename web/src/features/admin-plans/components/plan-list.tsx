import { Link } from 'react-router'
import { Badge } from '@/components/badge'
import { Card } from '@/components/card'
import { formatDateTime } from '@/lib/dates'
import { formatMoney } from '@/lib/money'
import { useAllPlans } from '@/features/admin/api/plans'
import { adminPaths } from '@/features/admin/paths'
import { Loaded } from '@/features/admin/components/loaded'
import { Cell, Table } from '@/features/admin/components/table'

/** Every plan with its terms and the value in force. */
export function PlanList() {
  const query = useAllPlans()
  return (
    <Card className="overflow-hidden">
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
