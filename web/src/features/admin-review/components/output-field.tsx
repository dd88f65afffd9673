import { TextField } from '@/components/field'
import { parseOutput } from '../outputs'

type OutputProps = { value: string; onChange: (value: string) => void; tried: boolean; refused?: string }

/** The output of a blockchain transaction that pays several people at once. */
export function OutputField({ value, onChange, tried, refused }: OutputProps) {
  return (
    <TextField
      label="Output"
      optional
      inputMode="numeric"
      autoComplete="off"
      className="tabular"
      value={value}
      onChange={(event) => onChange(event.target.value)}
      error={tried && parseOutput(value) === null ? 'Enter a whole number like 0' : refused}
      hint="Only for a transaction with several outputs: the index of this one. Where the network is not observed and it is missing, the hash cannot be used for another payment."
    />
  )
}
