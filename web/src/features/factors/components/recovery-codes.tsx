import { Button } from '@/components/button'
import { CopyButton } from '@/components/copy-button'

/** Recovery codes: only now can they be read. */
export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  return (
    <>
      <h3 className="font-semibold">Keep these recovery codes</h3>
      <p className="mt-1 text-sm text-ink-soft">
        Each replaces one code of your app, should you lose it. They are shown only now; write them down or keep them in a
        password manager.
      </p>
      <ul className="my-4 grid grid-cols-2 gap-x-6 gap-y-1.5 rounded-md bg-sunken p-4 font-mono text-sm select-all">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-3">
        <CopyButton
          text={codes.join('\n')}
          label="Copy all"
          success="Recovery codes copied"
          failure="Copying did not work; select the text instead"
        />
        <Button size="sm" onClick={onDone}>
          I have kept them
        </Button>
      </div>
    </>
  )
}
