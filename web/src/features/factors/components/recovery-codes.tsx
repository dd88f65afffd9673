import { Button } from '@/components/button'
import { CopyButton } from '@/components/copy-button'

/** New recovery codes, which are shown only once. */
export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  return (
    <>
      <h3 className="font-semibold">Save your recovery codes</h3>
      <p className="mt-1 text-sm text-ink-soft">
        Each works once in place of a code from your app, in case you lose it. They are shown only once: write them
        down or store them in a password manager.
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
        />
        <Button size="sm" onClick={onDone}>
          I have saved them
        </Button>
      </div>
    </>
  )
}
