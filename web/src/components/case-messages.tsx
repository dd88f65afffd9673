import { cx } from './cx'
import type { CaseMessage } from '@/lib/api-types'
import { formatMoments } from '@/lib/dates'
import { formatBytes } from '@/lib/files'

type CaseMessagesProps<M extends CaseMessage> = {
  messages: readonly M[]
  /** Names the author of a message. */
  nameOf: (message: M) => string
  /** Whose messages stand on the right. */
  own: CaseMessage['author']
}

/** What was written, in order, as plain text. */
export function CaseMessages<M extends CaseMessage>({ messages, nameOf, own }: CaseMessagesProps<M>) {
  const times = formatMoments(messages.map(({ at }) => at))
  return (
    <ol aria-label="Messages" className="space-y-4">
      {messages.map((message, index) => (
        <li key={message.number} className={cx('max-w-[42rem]', message.author === own && 'ms-auto')}>
          <p className={cx('flex flex-wrap gap-x-2 text-sm', message.author === own && 'justify-end')}>
            <span className="font-medium first-letter:uppercase">{nameOf(message)}</span>
            <time dateTime={message.at} className="tabular text-ink-faint">
              {times[index]}
            </time>
          </p>
          <p
            className={cx(
              'mt-1 rounded-md border border-line px-4 py-3 wrap-anywhere whitespace-pre-wrap',
              message.author === own ? 'bg-accent-soft' : 'bg-surface',
            )}
          >
            {message.text}
          </p>
          {message.file && (
            <p className={cx('mt-1 text-sm', message.author === own && 'text-end')}>
              <a href={message.file.url} target="_blank" rel="noreferrer" className="inline-flex min-h-9 items-center font-medium text-accent-text underline pointer-coarse:min-h-11">
                {`${message.file.contentType === 'application/pdf' ? 'PDF' : 'Picture'} of message ${message.number}, ${formatBytes(message.file.bytes)}`}
              </a>
            </p>
          )}
        </li>
      ))}
    </ol>
  )
}
