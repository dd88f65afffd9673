/** Does to the page what a browser's translation does: `<font><font>text</font></font>` for each text node, also for later ones. */
export function translatePage(root: Node = document.body) {
  const isText = (node: Node): node is Text => node.nodeType === Node.TEXT_NODE && /\p{L}/u.test(node.nodeValue ?? '')
  const isSkipped = ({ parentElement }: Text) =>
    !parentElement || parentElement.closest('font, script, style, textarea, [translate="no"]') !== null
  const translate = (from: Node) => {
    const walker = document.createTreeWalker(from, NodeFilter.SHOW_TEXT)
    const texts: Text[] = isText(from) ? [from] : []
    while (walker.nextNode()) if (isText(walker.currentNode)) texts.push(walker.currentNode)
    for (const text of texts.filter((one) => !isSkipped(one))) {
      const [outer, inner] = [document.createElement('font'), document.createElement('font')]
      inner.textContent = text.nodeValue
      outer.append(inner)
      text.replaceWith(outer)
    }
  }
  translate(root)
  const observer = new MutationObserver((records) =>
    records.forEach(({ addedNodes }) => addedNodes.forEach((node) => node.isConnected && translate(node))),
  )
  observer.observe(root, { childList: true, subtree: true })
  return () => observer.disconnect()
}
