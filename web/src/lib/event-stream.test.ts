import { expect, it } from 'vitest'
import { readEvents, type ServerEvent } from './event-stream'

async function eventsOf(...chunks: string[]) {
  const encoder = new TextEncoder()
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(encoder.encode(chunk))
      controller.close()
    },
  })
  const events: ServerEvent[] = []
  for await (const event of readEvents(stream)) events.push(event)
  return events
}

it('reads events across chunk borders and skips comments', async () => {
  expect(await eventsOf(': keep-alive\n\nevent: cha', 'nge\ndata: wallet.v1.deposit_confirmed\n', '\nevent: reset\ndata: missed\n\n')).toEqual([
    { event: 'change', data: 'wallet.v1.deposit_confirmed' },
    { event: 'reset', data: 'missed' },
  ])
})

it('drops what is unfinished when the stream ends', async () => {
  expect(await eventsOf('event: change\ndata: half')).toEqual([])
})
