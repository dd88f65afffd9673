import { HELD_PLANS } from './member-cache'

/** The plans of the member's trades, as the last visit kept them: their values are asked for before the trades are known. */
export function heldPlans(): string[] {
  try {
    return (localStorage.getItem(HELD_PLANS) ?? '').split(',').filter(Boolean)
  } catch {
    return []
  }
}
