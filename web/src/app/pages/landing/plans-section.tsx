import { Band, BandHeading } from '../../public-page'

const facts = [
  { title: 'One rule for everyone', text: 'Your investment follows the plan’s published values from the day you invest. Nobody enters your value by hand.' },
  { title: 'Dated, with a source', text: 'Each value shows its date and source. One person proposes it and another confirms it.' },
  { title: 'At risk', text: 'Values fall as well as rise, and you can get back less than you put in. A return is a target, not guaranteed.' },
] as const

/** Explains investment plans and their risk. */
export function PlansSection() {
  return (
    <Band aria-labelledby="plans" className="py-16 lg:py-24">
      <BandHeading id="plans" title="Plans with published values">
        Put part of your balance into a plan, follow its value and close when you decide.
      </BandHeading>
      <div className="mt-9 grid gap-4 lg:grid-cols-[1.25fr_1fr]">
        <Curve />
        <dl className="grid content-center gap-6 py-2 lg:ps-8">
          {facts.map(({ title, text }) => (
            <div key={title} className="border-s-2 border-line ps-5">
              <dt className="font-semibold">{title}</dt>
              <dd className="mt-1 text-ink-soft">{text}</dd>
            </div>
          ))}
        </dl>
      </div>
    </Band>
  )
}

const LINE = 'M0 196C40 188 62 204 96 182S150 150 184 158s52 42 88 30 44-66 84-74 56 30 92 18 52-54 88-60 44 12 64 4'

/** A drawing of a value that moves both ways; it has no figures because it shows no plan. */
function Curve() {
  return (
    <figure className="rounded-xl border border-line bg-surface p-6 shadow-card">
      <svg role="img" aria-label="Illustration of a plan value that rises and falls over time" viewBox="0 0 600 250" className="w-full">
        <g className="text-line" stroke="currentColor">
          {[50, 100, 150, 200].map((y) => (
            <path key={y} d={`M0 ${y}h600`} />
          ))}
        </g>
        <path d={`${LINE}V250H0z`} className="fill-accent-soft" />
        <path d={LINE} fill="none" className="stroke-accent" strokeWidth="3.5" strokeLinecap="round" />
        {[[184, 158], [272, 188], [448, 132]].map(([x, y]) => (
          <circle key={x} cx={x} cy={y} r="7" className="fill-surface stroke-accent" strokeWidth="3.5" />
        ))}
      </svg>
      <figcaption className="mt-4 text-sm text-ink-faint">An illustration, not a forecast. On a real plan, each point shows its date and source.</figcaption>
    </figure>
  )
}
