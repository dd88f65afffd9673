import { questions, type FactsOf, type Question, type Route } from '@/lib/irreversible'
import { Address } from './address'
import { cx } from './cx'
import { ConfirmDialog } from './dialog'

type ConfirmationProps<R extends Route> = {
  act: R
  /** What the act is about; without it nothing is asked. */
  facts: FactsOf<R> | undefined
  onConfirm: () => unknown
  onClose: () => void
}

/** Asks before something that cannot be taken back, and repeats in words and figures what will happen. */
export function Confirmation<R extends Route>({ act, facts, onConfirm, onClose }: ConfirmationProps<R>) {
  const ask = questions[act] as (facts: FactsOf<R>) => Question
  const question = facts && ask(facts)
  return (
    <ConfirmDialog
      open={question !== undefined}
      onClose={onClose}
      title={question?.title ?? ''}
      confirm={question?.confirm ?? ''}
      cancel={question?.cancel}
      busyLabel={question?.busyLabel}
      variant={question?.variant}
      onConfirm={onConfirm}
    >
      <p>{question?.sentence}</p>
      {question?.facts && question.facts.length > 0 && (
        <dl className="mt-4 divide-y divide-line text-sm">
          {question.facts.map(({ label, value, isExact, isAddress }) => (
            <div key={label} className={cx('py-2.5', !isExact && !isAddress && 'flex flex-wrap justify-between gap-x-4')}>
              <dt>{label}</dt>
              <dd translate="no" className={cx('min-w-0 font-medium text-ink', isExact ? 'font-mono break-all' : 'tabular wrap-anywhere')}>
                {isAddress && typeof value === 'string' ? <Address>{value}</Address> : value}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </ConfirmDialog>
  )
}
