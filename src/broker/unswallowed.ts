/** Handlers for the AMQP client's events whose errors reach somebody. */

/** The library takes what a handler throws for a broken frame and would close the connection over it: a fault of ours must not end there. */
export const unswallowed =
  <A extends unknown[]>(handler: (...args: A) => void) =>
  (...args: A): void => {
    try {
      handler(...args)
    } catch (error) {
      setImmediate(() => {
        throw error
      })
    }
  }
