import type { MovementKind } from './api/types'

type Kind = { label: string; hint: string; plan?: true; asset?: string; proof: 'none' | 'document' | 'either' }

/** What moves, in words, and what the form asks for [D-T1]. */
export const movementKinds: Record<MovementKind, Kind> = {
  capital_in: { label: 'Capital paid in', hint: 'The operator pays money in.', proof: 'either' },
  capital_out: { label: 'Capital taken out', hint: 'The operator takes capital out.', proof: 'either' },
  revenue_out: { label: 'Revenue paid out', hint: 'Course or fee revenue leaves the platform.', proof: 'either' },
  network_fee: { label: 'Network fees', hint: 'What networks charged for transactions of the platform.', proof: 'either' },
  loss: { label: 'Loss', hint: 'Something that was held is gone. The capital bears it, at least one cent.', proof: 'either' },
  plan_funded: { label: 'Cash for a plan', hint: 'Capital becomes cash of a plan, which pays gains.', plan: true, proof: 'none' },
  plan_returned: { label: 'Cash back from a plan', hint: 'Cash that open trades do not need becomes capital again.', plan: true, proof: 'none' },
  plan_bought: { label: 'Plan bought an asset', hint: 'Money of the plan leaves the platform for what it buys.', plan: true, asset: 'What was bought', proof: 'either' },
  plan_proceeds: { label: 'Proceeds of a plan', hint: 'An asset was sold or paid something out. What it brought above its cost is cash of the plan.', plan: true, asset: 'What was sold', proof: 'either' },
  plan_loss: { label: 'Write-off of a plan', hint: 'What is left of the cost of an asset is borne by the cash of the plan.', plan: true, asset: 'What is written off', proof: 'document' },
  plan_valued: { label: 'Value of a plan’s asset', hint: 'What a document says that an asset is worth.', plan: true, asset: 'What was valued', proof: 'document' },
  holding_stated: { label: 'Holding elsewhere', hint: 'What a document says is held where no chain shows it.', asset: 'Where it is held', proof: 'document' },
  sweep: { label: 'Sweep', hint: 'From one address of the platform to another.', proof: 'either' },
  exchange: { label: 'Exchange', hint: 'One asset was exchanged for another.', proof: 'either' },
  refund: { label: 'Refund', hint: 'A payment that belonged to no transaction went back. That of a rejected one is returned on its own page.', proof: 'either' },
}

/** The ones that move no money of the books: what they say may be zero. */
export const isStatement = (kind: MovementKind) => ['plan_valued', 'holding_stated', 'sweep', 'exchange', 'refund'].includes(kind)
