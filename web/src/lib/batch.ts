/**
 * Calls of one moment as one: `ask` gets what was asked for, each once and at most `largest` at a time, and returns the
 * answers in the same order. If it fails, each of its calls does.
 */
export function batched<T>(largest: number, ask: (ids: string[]) => Promise<T[]>) {
  let waiting: string[] = []
  let answers: Promise<Map<string, T>> | undefined

  const askAll = async () => {
    // A page's components ask in the same task, or in microtasks of it.
    await new Promise((resolve) => setTimeout(resolve))
    const ids = [...new Set(waiting)]
    waiting = []
    answers = undefined
    const starts = Array.from({ length: Math.ceil(ids.length / largest) }, (_, index) => index * largest)
    const parts = await Promise.all(starts.map((start) => ask(ids.slice(start, start + largest))))
    const values = parts.flat()
    return new Map(ids.map((id, index) => [id, values[index] as T]))
  }

  return async (id: string): Promise<T> => {
    waiting.push(id)
    answers ??= askAll()
    return (await answers).get(id) as T
  }
}
