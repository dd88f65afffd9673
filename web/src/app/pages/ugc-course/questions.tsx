import { ChevronDown } from 'lucide-react'
import { questions } from '@/content/marketing'
import { Band, BandHeading } from '../../public-page'

export function Questions() {
  return (
    <Band aria-labelledby="questions" className="py-16 lg:py-24">
      <div className="grid gap-8 lg:grid-cols-[1fr_1.7fr] lg:gap-12">
        <BandHeading id="questions" title="Frequently asked questions" />
        <div className="border-b border-line">
          {questions.map(({ question, answer }) => (
            <details key={question} className="group border-t border-line">
              <summary className="flex min-h-15 list-none items-center justify-between gap-4 py-4 font-semibold [&::-webkit-details-marker]:hidden">
                {question}
                <ChevronDown aria-hidden className="size-5 shrink-0 text-ink-faint transition-transform group-open:rotate-180" />
              </summary>
              <p className="max-w-prose pb-6 text-ink-soft">{answer}</p>
            </details>
          ))}
        </div>
      </div>
    </Band>
  )
}
