/** Without case, and without accents of Latin, Greek and Cyrillic letters, one for one: `jose` finds `José`, however it is composed. */
export const folded = (text: string) =>
  text
    .normalize('NFC')
    .replace(/[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]/gu, (letter) => [...letter.normalize('NFD')][0] ?? letter)
    .toLowerCase()
