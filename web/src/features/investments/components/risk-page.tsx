import { Card } from '@/components/card'
import { Form } from '@/components/form'
import { Button } from '@/components/button'
import { useAnswerRisk } from '../api/risk-answer'

/** What a member reads once before the first investment; that it was understood is stored by the server [D-T3]. */
export function RiskPage({ version }: { version: number }) {
  const answer = useAnswerRisk()
  return (
    <Card className="p-5 sm:p-7">
      <h2 className="text-lg font-semibold">Before you invest</h2>
      <ul className="mt-4 list-disc space-y-3 ps-5 text-ink-soft marker:text-ink-faint">
        <li>
          <strong className="font-semibold text-ink">You can lose money.</strong>
          <span> The value of an investment follows the plan and can fall below what you put in, in the worst case to nothing.</span>
        </li>
        <li>
          <strong className="font-semibold text-ink">A target is not a promise.</strong>
          <span> The ROI is what a plan aims for over its whole duration. It is not guaranteed, and the past does not predict it.</span>
        </li>
        <li>
          <strong className="font-semibold text-ink">It is not a deposit at a bank.</strong>
          <span> No deposit insurance pays if a plan loses money.</span>
        </li>
        <li>
          <strong className="font-semibold text-ink">Look at the plan first.</strong>
          <span> Its page says what it holds, what it costs, how risky it is, and how far it has fallen so far.</span>
        </li>
        <li>
          <strong className="font-semibold text-ink">Invest only what you can afford to lose,</strong>
          <span> and money that you do not need before the investment matures.</span>
        </li>
      </ul>
      <Form onSubmit={() => answer.mutateAsync(version).catch(() => undefined)} className="mt-6">
        <Button type="submit" size="lg" wide busyLabel="Saving...">
          I understand that I can lose money
        </Button>
      </Form>
      <p className="mt-3 text-sm text-ink-faint">You are asked once. We keep the time of your answer.</p>
    </Card>
  )
}
