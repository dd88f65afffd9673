/** First answers that staff can begin with. They say what is true of every case; the rest is written by hand. */
export const firstAnswers: readonly { title: string; text: string }[] = [
  {
    title: 'We look into it',
    text: 'Thank you for your message. We look into it and answer here; an email tells you when.',
  },
  {
    title: 'Hash needed',
    text: 'To find your payment we need its transaction hash, which your wallet shows with the payment. Please send it here. We never need a password, a code or a recovery phrase.',
  },
  {
    title: 'Payment not seen',
    text: 'We have not seen this payment at our address. Please compare the network and the address in your wallet with those that the transaction shows, and send us the hash if they are the same.',
  },
  {
    title: 'Cooling-off',
    text: 'After a change of email, password or second factor, payouts wait for a while to protect your account. The page of the withdrawal shows from when it can be approved.',
  },
  {
    title: 'Complaint settled',
    text: 'We have looked into your complaint. This is what we found and decided:\n\n\n\nIf you do not agree, write here, and a colleague looks at it again.',
  },
]
