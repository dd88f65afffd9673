/** What a refusal says, by its code. Another language is a file with the same codes. */
import type { ErrorCode } from '@/lib/api-types'

/** Their sentence names a field, an amount, a time or a person, or is one of several: the server's is shown. */
type SaidByServer =
  | 'ACCOUNT_FROZEN'
  | 'ALREADY_DECIDED'
  | 'AMOUNT_OUT_OF_RANGE'
  | 'BEING_PAID'
  | 'BOOKS_NOT_BALANCED'
  | 'COOLING_OFF'
  | 'DEAD_LETTER_UNUSABLE'
  | 'DEADLINE_EXCEEDED'
  | 'INVALID_CODE'
  | 'LIMIT_REACHED'
  | 'MALFORMED_REQUEST'
  | 'NOT_BACKED'
  | 'NOT_BEING_PAID'
  | 'NOT_FOUND'
  | 'NOT_REVERSIBLE'
  | 'PAYLOAD_TOO_LARGE'
  | 'PAYOUT_SEEN'
  | 'PAYOUTS_STOPPED'
  | 'PERMISSION_DENIED'
  | 'RATE_UNAVAILABLE'
  | 'RECEIPTS_FULL'
  | 'ROLE_TOO_NEW'
  | 'SECOND_PERSON_REQUIRED'
  | 'SELF_CONFIRMATION'
  | 'STALE_REVISION'
  | 'TOO_MANY_HOLDS'
  | 'TOO_MANY_METHODS'
  | 'TOO_MANY_PENDING_DEPOSITS'
  | 'TOO_MANY_QUOTES'
  | 'TOO_MANY_REQUESTS'
  | 'TXID_USED'
  | 'UNAVAILABLE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'UPLOAD_OFFSET_MISMATCH'
  | 'VALIDATION_FAILED'
  | 'WRONG_PASSWORD'

export const errorTexts: Record<Exclude<ErrorCode, SaidByServer>, string> = {
  INTERNAL: 'Something went wrong on our side. Please try again.',
  UNAUTHENTICATED: 'Please log in to continue.',
  IDEMPOTENCY_KEY_REUSED: 'This Idempotency-Key was used for another request.',
  IDEMPOTENCY_KEY_IN_FLIGHT: 'This request is still being processed.',
  PROPOSAL_CLOSED: 'This proposal has already been decided.',
  PROPOSAL_EXPIRED: 'This proposal expired. Please propose it again.',
  PROPOSER_NOT_PERMITTED: 'The person who proposed this may not do so any more. Please propose it again.',
  ROUTE_NOT_FOUND: 'There is nothing at this address.',
  METHOD_NOT_ALLOWED: 'This cannot be done at this address.',
  REQUEST_TIMEOUT: 'The request came in too slowly.',
  URI_TOO_LONG: 'The address of the request is too long.',
  HEADERS_TOO_LARGE: 'The headers of the request are too large.',

  EMAIL_NOT_VERIFIED: 'Please verify your email address first.',
  EMAIL_TAKEN: 'An account with this email already exists',
  INVALID_CREDENTIALS: 'Wrong email or password',
  INVALID_RESET_TOKEN: 'This link is invalid or has expired, please request a new one',
  INVALID_LINK: 'This link has already been used or has expired',
  TOTP_REQUIRED: 'Enter the code from your authenticator app',
  STEP_UP_REQUIRED: 'Enter the code from your authenticator app to continue.',
  TOTP_ENROLMENT_REQUIRED: 'Please set up an authenticator app first.',
  REAUTHENTICATION_REQUIRED: 'Please enter your password to change your email address',
  PASSKEY_REQUIRED: 'Log in with your passkey, or enter a recovery code',
  PASSKEY_REFUSED: 'This passkey was not accepted, please try again',
  PASSKEY_SIGNATURE_REQUIRED: 'Confirm this decision with your passkey',
  TOO_MANY_PASSKEYS: 'You can have 10 passkeys, please remove one first',
  ACCOUNT_IN_USE: 'Your account still has a balance or something open.',
  ACCOUNT_CLOSED: 'This account is closed.',

  INSUFFICIENT_BALANCE: 'Insufficient balance',
  AMOUNT_OWED: 'You owe an amount because a payment was reversed. Your next credits settle it first.',
  WITHDRAWAL_PENDING: 'Withdrawal pending already',
  WITHDRAWALS_STOPPED: 'Withdrawals are paused while we check our books. Your balance is safe; please try again later.',
  WITHDRAWALS_NOT_STOPPED: 'Withdrawals are not paused.',
  DESTINATION_ALREADY_SET: 'This withdrawal already has a destination.',
  DESTINATION_MISSING: 'This withdrawal has no destination yet.',
  DESTINATION_UNCONFIRMED: 'The member has not confirmed the destination of this withdrawal yet.',
  FEE_ALREADY_PAID: 'The fee for this withdrawal has already been paid.',
  FEE_PENDING: 'A payment of the fee for this withdrawal is in review.',
  NOT_APPROVED: 'This withdrawal has not been approved yet.',
  PAYMENT_SEEN: 'A payment for this request has been seen, so it stays in review.',
  APPROVAL_DIFFERS: 'The first reviewer approved a different amount, transaction hash or output. Check the network again.',
  STALE_EVIDENCE: 'The payment on the chain has changed since you looked at it. Reload and decide on what it is now.',
  ALREADY_REVERSED: 'This transaction has already been reversed.',
  PUBLICATION_IN_PROGRESS: 'The liabilities are being published. Please try again in a moment.',

  METHOD_UNAVAILABLE: 'This payment method is not available',
  PLATFORM_METHOD: 'This payment method belongs to the platform and cannot be changed here',
  QUOTE_EXPIRED: 'This quote has expired. Please get a new one.',
  QUOTE_USED: 'This quote has been used already. Please get a new one.',

  PLAN_CASH_SHORT: 'The cash of this plan does not cover the gain yet.',
  TRADE_NOT_OPEN: 'This trade is not open',
  TRADE_ALREADY_CLOSED: 'This trade is closed already',
  TRADE_IN_PROFIT: 'This trade is in profit, claim the profit instead',
  NOT_IN_PROFIT: 'This trade is not in profit, you can close it instead',
  VALUE_OUT_OF_ORDER: 'The value must be newer than the newest one and than the open trades of its plan',

  COURSE_ALREADY_PURCHASED: 'You already own the course.',
  COURSE_PAYMENT_PENDING: 'Your payment for the course is in review.',
  LESSONS_LEFT: 'Mark all lessons as done to get your certificate',
  MEDIA_IN_USE: 'A lesson has this file, in the draft or in a version',
  TOO_MANY_UPLOADS: 'Too many uploads are not complete yet; finish or remove one first',
  TOO_MANY_NOTES: 'A lesson has room for 100 notes; remove one first',
  TOO_MANY_STREAMS: 'You are watching three other videos. Stop one of them and try again in a moment',

  TOO_MANY_CASES: 'You have five cases that are not closed; write in one of them, or close one first',
  CASE_CLOSED: 'This case is closed; open another one if there is more to say',
  CASE_FULL: 'This case has 100 messages; close it and open another one',
  CASE_NOT_ANSWERED: 'Answer the member before you close the case',
}
