/** The data of the first page of a visit, which its head asked for (`early-answers.ts`): the page is drawn once, with it. */

/** A page whose data takes longer is drawn without it. */
const MOMENT_MS = 150

type Fetches = Record<string, () => Promise<unknown>>

/** Takes over, by path, what was asked for. */
export async function takeFirstData(fetches: Fetches) {
  const asked = Object.entries(fetches).filter(([path]) => window.earlyAnswers?.byPath.has(path))
  await Promise.race([Promise.allSettled(asked.map(([, take]) => take())), new Promise((resolve) => setTimeout(resolve, MOMENT_MS))])
}
