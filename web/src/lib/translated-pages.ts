/**
 * Keeps the page working while the browser translates it. Translation takes a text node out of the page and puts a `<font>`
 * in its place; React knows only the text node, and would fail to remove it, to insert before it or to change it.
 */

/** Where a text now stands: the element that replaced it. */
const replacements = new WeakMap<Node, Element>()

const isReplacement = (node: Node | null | undefined): node is Element => node?.nodeName === 'FONT'

/** The child of `parent` that stands for `node`: itself, what replaced it, or what it was moved into. */
function standing(parent: Node, node: Node): Node | null {
  for (let at: Node | null = replacements.get(node) ?? node; at; at = at.parentNode) if (at.parentNode === parent) return at
  return null
}

function notice(record: MutationRecord, observer: MutationObserver) {
  const { target } = record
  if (record.type === 'characterData') {
    const replacement = replacements.get(target)
    // The browser translates the new text, too.
    if (replacement && !target.isConnected) replacement.textContent = target.nodeValue
    return
  }
  for (const removed of record.removedNodes) {
    if (removed.nodeType !== Node.TEXT_NODE || removed.isConnected) continue
    const replacement = [...record.addedNodes, record.previousSibling, record.nextSibling].find(isReplacement)
    if (!replacement) continue
    replacements.set(removed, replacement)
    observer.observe(removed, { characterData: true })
  }
}

type Methods = {
  removeChild: (this: Node, child: Node) => Node
  insertBefore: (this: Node, node: Node, before: Node | null) => Node
}

/** Call before React draws anything. */
export function tolerateTranslation() {
  const { removeChild, insertBefore } = Node.prototype as Methods
  const observer = new MutationObserver((records) => records.forEach((record) => notice(record, observer)))
  const hear = () => observer.takeRecords().forEach((record) => notice(record, observer))
  observer.observe(document, { childList: true, subtree: true })

  Node.prototype.removeChild = function <T extends Node>(this: Node, child: T): T {
    if (child.parentNode === this) return removeChild.call(this, child) as T
    hear()
    const there = standing(this, child)
    if (there) removeChild.call(this, there)
    return child
  }
  Node.prototype.insertBefore = function <T extends Node>(this: Node, node: T, before: Node | null): T {
    if (before && before.parentNode !== this) {
      hear()
      return insertBefore.call(this, node, standing(this, before)) as T
    }
    return insertBefore.call(this, node, before) as T
  }
}

/** Whether the browser has translated what is there. */
export const isTranslated = (root: Element) => root.querySelector('font') !== null
