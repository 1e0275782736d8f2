/**
 * What the broker answers when a client asks for something wrong: the reply codes of AMQP 0-9-1 and an error that carries
 * one. Texts are RabbitMQ's, because clients show and translate them. These errors go over the wire; people never see them
 * as errors of fanfare, so they are no FanfareError.
 */

const REPLY_NAMES = {
  311: 'CONTENT_TOO_LARGE',
  312: 'NO_ROUTE',
  313: 'NO_CONSUMERS',
  320: 'CONNECTION_FORCED',
  402: 'INVALID_PATH',
  403: 'ACCESS_REFUSED',
  404: 'NOT_FOUND',
  405: 'RESOURCE_LOCKED',
  406: 'PRECONDITION_FAILED',
  501: 'FRAME_ERROR',
  502: 'SYNTAX_ERROR',
  503: 'COMMAND_INVALID',
  504: 'CHANNEL_ERROR',
  505: 'UNEXPECTED_FRAME',
  506: 'RESOURCE_ERROR',
  530: 'NOT_ALLOWED',
  540: 'NOT_IMPLEMENTED',
  541: 'INTERNAL_ERROR',
} as const

export type ReplyCode = keyof typeof REPLY_NAMES

/** Codes that end a channel; all others end the connection. */
const CHANNEL_CODES: readonly ReplyCode[] = [311, 312, 313, 403, 404, 405, 406]

/** RabbitMQ's limit: a short string of 255 bytes, cut with an ellipsis. */
const MAX_TEXT_BYTES = 255

export class AmqpError extends Error {
  readonly replyCode: ReplyCode

  /** `detail` follows the code's name: `NOT_FOUND - no exchange 'x' in vhost '/'`. */
  constructor(replyCode: ReplyCode, detail: string) {
    super(replyText(replyCode, detail))
    this.name = 'AmqpError'
    this.replyCode = replyCode
  }

  get endsChannelOnly(): boolean {
    return CHANNEL_CODES.includes(this.replyCode)
  }
}

export const isReplyCode = (code: number): code is ReplyCode => Object.hasOwn(REPLY_NAMES, code)

function replyText(replyCode: ReplyCode, detail: string): string {
  const text = `${REPLY_NAMES[replyCode]} - ${detail}`
  if (Buffer.byteLength(text) <= MAX_TEXT_BYTES) return text
  const cut = Buffer.from(text)
    .subarray(0, MAX_TEXT_BYTES - 3)
    .toString()
  // A character cut in half decodes to U+FFFD, which is longer than what it replaces.
  return `${cut.replace(/\uFFFD+$/u, '')}...`
}
