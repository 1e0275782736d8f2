/** One message inside the broker, shared by all queues that hold it. Header and body stay the bytes the publisher sent. */
export interface Message {
  readonly exchange: string
  readonly routingKey: string
  /** The payload of the content header frame: class, size and properties. */
  readonly header: Buffer
  readonly body: Buffer
}

/** A message in one queue. */
export interface Entry {
  readonly message: Message
  /** Its place among all messages the queue ever took; a requeued one goes back to it. */
  readonly position: number
  redelivered: boolean
}
