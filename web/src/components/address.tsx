/** An address in groups of four, to be compared with another one; copied, it has no gaps. */
export function Address({ children }: { children: string }) {
  const groups = children.match(/.{1,4}/gu) ?? []
  return (
    <span translate="no" className="font-mono [word-break:normal]">
      {groups.map((group, index) => (
        <span key={index} className="me-1">
          {group}
          <wbr />
        </span>
      ))}
    </span>
  )
}
