/** The answers of the help page. They promise only what a function of the product keeps. */

export type Answer = { id: string; question: string; answer: string }
export type HelpTopic = { id: string; title: string; answers: readonly Answer[] }

export const help: readonly HelpTopic[] = [
  {
    id: 'deposits',
    title: 'Deposits',
    answers: [
      {
        id: 'deposit-how',
        question: 'How do I deposit?',
        answer:
          'Open Deposits, enter an amount, choose a currency and its network, and send exactly the amount shown to the address shown. Then upload your proof of payment. A reviewer compares it with the network before the money is added to your balance.',
      },
      {
        id: 'deposit-amount',
        question: 'I sent another amount than I entered',
        answer: 'We credit the amount that arrived. The transaction shows both amounts, and so does the email.',
      },
      {
        id: 'deposit-network',
        question: 'I used another network or address',
        answer:
          'A payment on another network than the one shown may not reach us, and a payment to a foreign address cannot be called back. Open a case with the hash of the payment, and we look for it.',
      },
      {
        id: 'deposit-rejected',
        question: 'My deposit was rejected',
        answer: 'The transaction names the reason and what to do next. If you did pay, object to the decision with "Something wrong?" on its page.',
      },
    ],
  },
  {
    id: 'withdrawals',
    title: 'Withdrawals',
    answers: [
      {
        id: 'withdrawal-how',
        question: 'How do I withdraw?',
        answer:
          'Open Withdrawals, enter an amount and where it goes. A code by email confirms an address that is new. One person approves the withdrawal, and another one pays it.',
      },
      {
        id: 'withdrawal-cancel',
        question: 'Can I cancel a withdrawal?',
        answer: 'No. The form shows the amount, the fee and the address once more before you send it. Compare them with your wallet then.',
      },
      {
        id: 'withdrawal-waits',
        question: 'Why does my withdrawal wait?',
        answer:
          'After a change of your email, password or second factor, payouts wait for a while, so that somebody who took over an account cannot empty it. The page of the withdrawal says from when it can be approved.',
      },
      {
        id: 'withdrawal-one',
        question: 'Why can I request only one?',
        answer: 'One withdrawal is open at a time. Its amount is held until it is paid or rejected; a rejected one is back in your balance.',
      },
    ],
  },
  {
    id: 'times',
    title: 'Times',
    answers: [
      {
        id: 'times-steps',
        question: 'How long does it take?',
        answer:
          'People review deposits and withdrawals. The page of each transaction shows every step, with a time where we know one. Where no time is shown, we do not know one.',
      },
      {
        id: 'times-answer',
        question: 'When do you answer a case?',
        answer: 'Each case shows until when we mean to answer. An email tells you when we have; the answer itself is in your account only.',
      },
    ],
  },
  {
    id: 'fees',
    title: 'Fees',
    answers: [
      {
        id: 'fees-withdrawal',
        question: 'What does a withdrawal cost?',
        answer: 'The form shows the fee and what you receive before you send it. The network charges you nothing on top.',
      },
      {
        id: 'fees-trade',
        question: 'What does it cost to leave a plan?',
        answer: 'Some plans charge an exit fee for leaving early. The plan names it before you invest, and the question before you leave names the amount.',
      },
    ],
  },
  {
    id: 'security',
    title: 'Security',
    answers: [
      {
        id: 'security-factor',
        question: 'How do I protect my account?',
        answer: 'Add a passkey or an authenticator app in your profile. Withdrawals and changes of your account then ask for it again.',
      },
      {
        id: 'security-takeover',
        question: 'Somebody else used my account',
        answer:
          'Use the link "This was not me" in our email about the login or the change. It ends all sessions, pauses payouts and sends you a link to set a new password. The list of all logins is in Profile, Account activity.',
      },
      {
        id: 'security-fraud',
        question: 'Somebody writes or calls in our name',
        answer:
          'We never ask for a password, a code or a recovery phrase, and we never answer a case by email, chat or phone. Deposit only to the address that the app shows.',
      },
      {
        id: 'security-frozen',
        question: 'My account is frozen',
        answer: 'Your money stays yours, and you can see everything, but nothing can be moved. Open a case from the notice in your account to ask why or to object.',
      },
    ],
  },
  {
    id: 'plans',
    title: 'Plans and risk',
    answers: [
      {
        id: 'plans-what',
        question: 'What is a plan?',
        answer: 'You put an amount into a plan for a number of days. Its value follows the values that we publish with their source, and is what you are paid when you leave.',
      },
      {
        id: 'plans-risk',
        question: 'Can I lose money?',
        answer: 'Yes. The value of a plan can fall, and you can lose money. The return that a plan names is a target, not a promise.',
      },
      {
        id: 'plans-paid',
        question: 'When is a trade paid out?',
        answer: 'You claim it. If the cash of the plan does not cover the gain at that moment, the claim waits in order, and the trade says so.',
      },
    ],
  },
  {
    id: 'course',
    title: 'Course',
    answers: [
      {
        id: 'course-buy',
        question: 'How do I get the course?',
        answer: 'Buy it from your balance at once, or pay for it by a deposit. It opens as soon as the payment is complete. One lesson is free to read before.',
      },
      {
        id: 'course-income',
        question: 'Will I earn money with it?',
        answer: 'The course teaches a craft and promises no income.',
      },
    ],
  },
  {
    id: 'complaints',
    title: 'Complaints',
    answers: [
      {
        id: 'complaint-how',
        question: 'How do I complain?',
        answer:
          'Open a case and answer "Is this a complaint?" with yes. It is entered in our register, where it stays, and is settled within ten working days. It costs nothing. The case shows the day.',
      },
      {
        id: 'complaint-data',
        question: 'What do you keep about me?',
        answer: 'Profile has a download of everything that we keep about you, with your cases and our answers.',
      },
    ],
  },
]

/** The topics with the answers that have all of these words. */
export function findAnswers(search: string): readonly HelpTopic[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return help
  const hasAll = (title: string, { question, answer }: Answer) => {
    const text = `${title} ${question} ${answer}`.toLowerCase()
    return words.every((word) => text.includes(word))
  }
  return help
    .map((topic) => ({ ...topic, answers: topic.answers.filter((answer) => hasAll(topic.title, answer)) }))
    .filter(({ answers }) => answers.length > 0)
}
